internal import Journals
internal import PendingChanges

extension FileChangeWriter {
  /// A caller that waits until what it has submitted is recorded.
  ///
  ///     journal's thread ──► one submitter of the group ──► the others
  ///
  /// The journal wakes one of a group, which does for the writer what comes of the write, and finds its own answer
  /// among what that is. A task of its own would be one thread more to wake, and waking is most of what a save takes
  /// besides the device.
  struct _Submitter: Sendable {
    typealias Answer = Result<PendingChangeID?, FileChangeError>

    enum Wakeup: Sendable {
      case answer(Answer)
      /// The group was written, or the error came of it.
      case written(JournalError?)
    }

    private let continuation: CheckedContinuation<Wakeup, Never>
    /// Whether the others of its group can wait for it.
    let isPrompt: Bool

    init(_ continuation: CheckedContinuation<Wakeup, Never>, isPrompt: Bool) {
      (self.continuation, self.isPrompt) = (continuation, isPrompt)
    }

    func wake(_ wakeup: Wakeup) { continuation.resume(returning: wakeup) }

    /// Whether the current task goes on as soon as any other does.
    ///
    /// One of low priority may wait for long while the system is busy. One with an executor of its own waits for that.
    static var isPrompt: Bool {
      guard Task.currentPriority >= .medium else { return false }
      if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        return unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor == nil }
      }
      return true
    }
  }
}
