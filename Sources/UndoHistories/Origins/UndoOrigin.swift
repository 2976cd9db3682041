/// Where edits come from: a person, an agent, a server.
///
/// ```swift
/// extension UndoOrigin {
///   static let agent: UndoOrigin = "agent"
/// }
///
/// var history = UndoHistory(initialValue: ["Flour"])
/// history[as: .agent].append("Milk")
/// history.edit.append("Eggs")
/// history.undo(by: .agent)
/// print(history.currentItem)  // ["Flour", "Eggs"]
/// ```
///
/// Two origins with one name are one origin.
public struct UndoOrigin: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
  /// The name.
  public let rawValue: String

  /// Makes the origin of a name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Makes the origin of a name.
  public init(_ name: String) {
    self.init(rawValue: name)
  }

  /// Makes the origin of a name.
  public init(stringLiteral name: String) {
    self.init(rawValue: name)
  }
}

extension UndoOrigin: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}

/// Which step of a history is meant, for as long as the history has it.
///
/// A history gives these out once one of its edits has an origin (``UndoHistory/subscript(as:)``), to the steps of
/// before as well. A step keeps its identity through undo and redo, in copies of the history and in archives. Copies
/// that went different ways give the same identities to different steps.
public struct UndoStepID: RawRepresentable, Hashable, Sendable, Codable {
  /// The bits.
  public let rawValue: UInt64

  /// Restores an identity from its bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }
}

extension UndoStepID: CustomStringConvertible {
  /// The bits as a number.
  public var description: String { "step \(rawValue)" }
}
