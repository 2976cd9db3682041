// Re-exported because an outbox takes and returns values of these modules.
@_exported public import Journals
@_exported public import PendingChanges

/// A durable queue that sends changes to a server in order, retries failed attempts, and survives a crash.
///
/// ```swift
/// struct Rename: PendingChange, Codable {
///   var key: Int
///   var name: String
/// }
///
/// func rename(_ renames: [Rename], journal: URL) async throws {
///   let outbox = try await Outbox<Rename>(journal: journal) { entry in
///     print("PATCH /items/\(entry.change.key)", entry.change.name, entry.id)
///     return .done
///   }
///   for rename in renames { try await outbox.insert(rename) }
///   try await outbox.drain(within: .seconds(10))
/// }
/// ```
///
/// An outbox guarantees:
/// - A change that was inserted is in the journal. However the process ends, the next outbox with that journal sends
///   it. If the process ended during an attempt, the change comes after the others and is sent alone. If that ends
///   the process again and again, the change becomes a failure (`maximumInterruptions`).
/// - One change of each key is sent at a time, in the order of insertion. Different keys are sent in parallel, up to
///   `parallelKeys`.
/// - A waiting change that was never begun is combined with a newer change of its key, as `PendingChange/policy`
///   says.
/// - A change is sent at least once, each time with the same ``Entry/id``. No other contents ever have that id. So a
///   server that remembers ids applies each change once.
/// - A change that the server refuses becomes a failure. If the policy is `.merge`, a newer change of its key is
///   merged with it and sent instead; if the policy is `.replace` or `.moveToEnd`, the newer change replaces it. So an
///   older value is never sent after a newer one.
///
/// Keep a reference to the outbox for as long as it should retry. Without references, it finishes the attempts under
/// way and begins the changes that are ready, but doesn't retry failed ones. ``close(within:)`` releases the journal at
/// once.
public actor Outbox<Change: PendingChange & Sendable> {
  var machine: _StateMachine
  let journal: JournalWorker
  let clock: any Clock<Duration>
  /// The time since the outbox was made, by its clock.
  let elapsed: @Sendable () -> Duration
  /// The time by the system's clock, which may be set.
  let date: @Sendable () -> Date
  let send: @Sendable @concurrent (Entry) async throws -> Answer

  var attempts: [PendingChangeID: (attempt: Attempt, task: Task<Void, Never>, timeout: Task<Void, Never>?)] = [:]
  var attemptCount = 0
  var timer: (deadline: Duration, date: Date, task: Task<Void, Never>)?
  /// The callers that wait for their results.
  var callers = Tickets<CheckedContinuation<_StateMachine.Result, Never>>()
  let readers = Readers(state: State())

  /// The result of reading the journal of an earlier outbox.
  ///
  /// If a device failed, the unread part may say that a change was sent. That change is sent again, with the same id.
  public nonisolated let recovery: Recovery

  /// Makes an outbox, and begins to send the changes that its journal still has.
  ///
  /// The journal is one file, accessible only to its owner, that holds the changes until they are sent, and somewhat
  /// longer (`journalByteLimit`). It is created if it doesn't exist. After the journal is first rewritten, there is a
  /// second file beside it, `.unsaved-journal-…`, which takes turns with it; ``close(within:)`` removes that file. Only
  /// one outbox at a time can use a journal. The system releases it when the process ends, however that happens. The
  /// file must belong to you alone, and the folder must belong to you or root, or be sticky; a group without other
  /// members may write the folder. If another group may write it, the journal is in a folder of your own there, named
  /// `.unsaved-user-` and your user number.
  ///
  /// A damaged journal is not an error. The outbox sends the changes that it can read. If more is damaged than the end
  /// of a process explains, the file is moved aside, as `<name>.damaged-<date>` in the same folder, and a new one
  /// begins: see ``recovery``.
  ///
  /// - Parameters:
  ///   - journal: The file. Its folder must exist.
  ///   - configuration: How the outbox works. A limit or a number of zero traps.
  ///   - send: Sends one change and returns the outcome. It runs outside the actor, for several keys at the same time,
  ///     and may call the outbox: ``drain(within:)`` and ``outcome(of:)`` throw there, because they would wait for
  ///     themselves, and ``close(within:)`` doesn't wait. If it throws an error, the attempt failed, and the change is
  ///     sent again after a delay (`Backoff`). An attempt that ``close(within:)`` cancels doesn't count if it throws.
  /// - Throws: `OutboxError` with the path of the journal, when the journal can't be opened, created or moved aside. It
  ///   also throws if the journal is in use, holds changes of another type, was written by another version, or if other
  ///   users may write the file or its folder, or if neither a change nor its key can be decoded. The journal is then
  ///   left as it is. If only the change can't be decoded, it is ``undecodable``.
  public init(
    journal: URL, configuration: Configuration = Configuration(),
    send: @escaping @Sendable @concurrent (Entry) async throws -> Answer
  ) async throws(OutboxError) where Change: Codable {
    try await self.init(journal: journal, configuration: configuration, coding: _Coding(), send: send)
  }

  /// Makes an outbox that also reads the changes of earlier versions of your app.
  ///
  /// Each change is recorded as JSON, with the version of the app's encoding. Raise the version when the JSON of your
  /// type changes so that it can't be decoded as before:
  ///
  /// ```swift
  /// struct Rename: PendingChange, Codable {
  ///   var key: Int
  ///   var title: String
  /// }
  ///
  /// struct OldRename: Codable {
  ///   var key: Int
  ///   var name: String
  /// }
  ///
  /// func open(_ journal: URL) async throws -> Outbox<Rename> {
  ///   try await Outbox(journal: journal, version: 1) { contents, version in
  ///     let old = try JSONDecoder().decode(OldRename.self, from: contents)
  ///     return Rename(key: old.key, title: old.name)
  ///   } send: { entry in
  ///     print("PATCH /items/\(entry.change.key)", entry.change.title)
  ///     return .done
  ///   }
  /// }
  /// ```
  ///
  /// A change that `migrate` can't decode is ``undecodable``. That needs a key that is `Codable`, such as a number, a
  /// string or a `UUID`.
  ///
  /// - Parameters:
  ///   - journal: The file. Its folder must exist.
  ///   - configuration: How the outbox works. A limit or a number of zero traps.
  ///   - version: The version of the encoding, from 0 to 2³² - 1. The other initializers write version 0.
  ///   - migrate: Decodes the bytes of a change of another version, which may also be newer.
  ///   - send: Sends one change and returns the outcome.
  /// - Throws: `OutboxError`, as the other initializer does.
  public init(
    journal: URL, configuration: Configuration = Configuration(), version: Int,
    migrate: @escaping @Sendable (_ contents: Data, _ version: Int) throws -> Change,
    send: @escaping @Sendable @concurrent (Entry) async throws -> Answer
  ) async throws(OutboxError) where Change: Codable {
    let coding = _Coding(version: version, migrate: migrate)
    try await self.init(journal: journal, configuration: configuration, coding: coding, send: send)
  }

  /// Makes an outbox whose changes are encoded by closures, and begins to send the changes that its journal still has.
  ///
  /// - Parameters:
  ///   - journal: The file. Its folder must exist.
  ///   - configuration: How the outbox works. A limit or a number of zero traps.
  ///   - coding: Encodes a change to bytes, and decodes a change from them. The bytes outlive versions of an app, so
  ///     `decode` should also accept the bytes of earlier versions.
  ///   - send: Sends one change and returns the outcome.
  /// - Throws: `OutboxError`, as the other initializer does.
  public init(
    journal: URL, configuration: Configuration = Configuration(),
    coding: (encode: @Sendable (Change) throws -> Data, decode: @Sendable (Data) throws -> Change),
    send: @escaping @Sendable @concurrent (Entry) async throws -> Answer
  ) async throws(OutboxError) {
    let (encode, decode) = coding
    let coding = _Coding(encode: encode) { contents, _ in try decode(contents) }
    try await self.init(journal: journal, configuration: configuration, coding: coding, send: send)
  }

  /// The same initializer, with the parameters that tests choose.
  package init(
    journal url: URL, configuration: Configuration = Configuration(), coding: _Coding,
    clock: any Clock<Duration> = ContinuousClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    date: @escaping @Sendable () -> Date = { Date() },
    system: any FileSystem = PosixFileSystem(),
    send: @escaping @Sendable @concurrent (Entry) async throws -> Answer
  ) async throws(OutboxError) {
    guard let path = url.localPath, path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
      throw OutboxError(
        path: url.isFileURL ? url.path(percentEncoded: false) : url.absoluteString, reason: .invalidPath)
    }
    var machine = _StateMachine(
      configuration: configuration, path: path, opening: .random(in: .min ... .max), random: random, coding: coding)
    let (file, recovery, error) = try await JournalWorker.start(
      at: path, in: system, newWriter: .random(in: .min ... .max), failure: { OutboxError($0, path: path) },
      recover: { (found: JournalContentsOnOpen<_OutboxRecord>) throws(OutboxError) in
        let write = try machine.recover(found.contents, date: date())
        let (queue, state) = (machine.queue, machine.currentState)
        let undecodable = machine.undecodable.isEmpty ? "" : ", \(machine.undecodable.count) undecodable"
        let description = "\(state.pendingCount) changes to send, \(state.failureCount) failures\(undecodable)"
        return (write, description, isUnfinished: queue.count > 0, isEmpty: queue.isEmpty)
      })
    self.recovery = recovery
    let actions = machine.finishWrite(error: error)
    self.machine = machine
    self.journal = file
    self.clock = clock
    self.elapsed = stopwatch(clock)
    self.date = date
    self.send = send
    perform(actions)
  }

  deinit { timer?.task.cancel() }
}

/// Returns a function that measures the time since this call.
private func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}
