// The source of edits, and the identity of a step (`UndoStepID`).

/// The source of edits, such as a person, an agent or a server.
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
/// Two origins with the same name are equal.
public struct UndoOrigin: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
  /// The name.
  public let rawValue: String

  /// Creates an origin with a name.
  public init(rawValue: String) {
    self.rawValue = rawValue
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
/// A history assigns identities to all of its steps once an edit has an origin (``UndoHistory/subscript(as:)``). A step
/// keeps its identity through undo and redo, in copies of the history and in archives. Copies that are edited
/// differently give the same identities to different steps.
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
