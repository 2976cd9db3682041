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

  /// Creates an origin with a name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates an origin with a name.
  public init(_ name: String) {
    self.init(rawValue: name)
  }

  /// Creates an origin with a name.
  public init(stringLiteral name: String) {
    self.init(rawValue: name)
  }
}

extension UndoOrigin: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}

/// The identity of a step, valid for as long as the history has the step.
///
/// A history assigns identities once one of its edits has an origin (``UndoHistory/subscript(as:)``), to earlier steps
/// as well. A step keeps its identity through undo and redo, in copies of the history and in archives. Copies that are
/// edited differently give the same identities to different steps.
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
