/// How much an undo history may remember.
///
/// When a limit is exceeded, the oldest steps are dropped. The newest step is always kept, however many bytes it has,
/// unless the limit is zero steps. Steps that a remote edit hides count like the others. They are dropped together with
/// that edit, whose bytes count as well.
///
/// ```swift
/// var history = UndoHistory(initialValue: "")
/// history.limit = .steps(1_000, bytes: 1 << 20)
/// ```
@frozen
public struct UndoLimit: Hashable, Sendable {
  /// The number of steps that may be remembered.
  package let steps: Int
  /// The number of bytes that the steps may take, as `UndoHistory.byteCount` counts them.
  package let bytes: Int

  init(steps: Int, bytes: Int) {
    precondition(steps >= 0 && bytes > 0, "A limit must not be negative, and one of bytes must be positive")
    self.steps = steps
    self.bytes = bytes
  }

  /// No limit: everything is remembered.
  public static var unlimited: UndoLimit { UndoLimit(steps: .max, bytes: .max) }

  /// At most this many steps, and at most this many bytes; with a limit of zero steps, nothing can be undone.
  ///
  /// A step that is open (`UndoHistory.beginStep(_:id:)`) can be canceled all the same.
  ///
  /// - Precondition: `steps` is not negative, and `bytes` is positive.
  public static func steps(_ steps: Int, bytes: Int = .max) -> UndoLimit { UndoLimit(steps: steps, bytes: bytes) }

  /// At most this many bytes, at least one, of all that the steps keep alive.
  ///
  /// Under such a limit, each step is measured when it is recorded, undone or redone. That takes O(1) for numbers,
  /// texts and arrays of numbers, and O(*n*) for a value with *n* parts that refer to memory. Setting the limit
  /// measures all steps once.
  public static func bytes(_ bytes: Int) -> UndoLimit { UndoLimit(steps: .max, bytes: bytes) }
}
