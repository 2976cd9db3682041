public import Journals
// An outbox takes changes of that library: to use one without the other is not possible.
@_exported public import PendingChanges

/// Sends changes to a server that may be away: in order, again where that can help, and none is lost by a kill.
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
/// What holds:
/// - A change that was inserted is in the journal: the next outbox with that journal sends it, whatever became of the
///   process, and first what was being sent.
/// - Of one key one change is sent at a time, in the order of insertion. Different keys are sent in parallel, up to
///   `parallelKeys`.
/// - What waits and was never begun is one with a newer change of its key, by ``PendingChange/policy``.
/// - A change is sent at least once. Each time it has the same ``Entry/id``, and no other contents ever have that id.
///   So a server that remembers ids applies it once.
/// - What a server refuses is a dead letter. A newer change of its key takes it along, merged below itself, where the
///   policy is `.merge`, and takes its place where that is `.replace` or `.moveToEnd`. So an older value is never sent
///   after a newer one.
///
/// An outbox without references goes on with what it is sending, and begins what can begin. It does not try again what
/// has failed: keep a reference for as long as it should. ``close(within:)`` gives the journal back at once.
public actor Outbox<Change: PendingChange & Sendable> {
  struct Timer {
    let deadline: Duration
    let date: Date
    let task: Task<Void, Never>
  }

  var machine: _StateMachine
  let journal: JournalWorker
  let clock: any Clock<Duration>
  /// The time since the outbox was made, by its clock.
  let elapsed: @Sendable () -> Duration
  /// Makes the bytes of a change that the journal gets, which can be decoded again.
  let encode: @Sendable (Change) throws -> [UInt8]
  let send: @Sendable @concurrent (Entry) async throws -> Answer

  var attempts: [PendingChangeID: Task<Void, Never>] = [:]
  var timer: Timer?
  var callers: [Int: CheckedContinuation<_StateMachine.Result, Never>] = [:]
  private var ticketCount = 0
  let readers = Readers(state: State())

  /// What was found in the journal.
  public nonisolated let recovery: Recovery

  /// Makes an outbox, and begins to send what its journal still has.
  ///
  /// The journal is one file, for its owner alone, that holds the changes until they are sent, and somewhat longer
  /// (`journalByteLimit`). It is made where it is not there. Once it was rewritten there is another one beside it,
  /// `.unsaved-journal-…`, which takes turns with it; ``close(within:)`` removes that. One outbox at a time has a
  /// journal; the system gives it free when the process ends, however that happens. The file must be yours alone, and
  /// the folder yours, root's or sticky; a group that has no other member than you may write it. Where another group
  /// may, the journal is in a folder of your own there, `.unsaved-user-` and your number.
  ///
  /// Damage is no error. The readable part of a journal is sent. Where more is damaged than the end of a process
  /// leaves, the file is set aside beside it, as `<name>.damaged-<date>`, and a new one begins: see ``recovery``.
  ///
  /// - Parameters:
  ///   - journal: The file. Its folder must be there.
  ///   - configuration: How the outbox works; a limit or number of zero traps.
  ///   - send: Sends one change, and says what became of that. It runs outside of the actor, for several keys at the
  ///     same time, and may call the outbox, but for ``drain(within:)`` and ``close(within:)``. An error that it throws
  ///     is a failure, and the change is sent again after a while (``Backoff``). What it throws when ``close(within:)``
  ///     has cancelled it does not count as an attempt.
  /// - Throws: `OutboxError` with the path of the journal, when it cannot be opened, made or set aside, or a change in
  ///   it that is to be sent cannot be decoded. A journal that is in use, holds changes of another type
  ///   (``OutboxError/Reason/ofAnotherType(_:)``) or is of a newer version is refused. So is one that others than this
  ///   user may write, or whose folder they may write. The journal stays as it is then.
  public init(
    journal: URL, configuration: Configuration = Configuration(),
    send: @escaping @Sendable @concurrent (Entry) async throws -> Answer
  ) async throws(OutboxError) where Change: Codable {
    try await self.init(journal: journal, configuration: configuration, coding: Self.json, send: send)
  }

  /// Makes an outbox whose changes are encoded by closures, and begins to send what its journal still has.
  ///
  /// - Parameters:
  ///   - journal: The file. Its folder must be there.
  ///   - configuration: How the outbox works; a limit or number of zero traps.
  ///   - coding: Makes bytes of a change, and a change of such bytes. The bytes outlive versions of an app: what
  ///     decodes should take those of earlier versions, too.
  ///   - send: Sends one change, and says what became of that.
  /// - Throws: `OutboxError`, as the other initialiser does.
  public init(
    journal: URL, configuration: Configuration = Configuration(),
    coding: (encode: @Sendable (Change) throws -> Data, decode: @Sendable (Data) throws -> Change),
    send: @escaping @Sendable @concurrent (Entry) async throws -> Answer
  ) async throws(OutboxError) {
    try await self.init(
      journal: journal, configuration: configuration, coding: coding, clock: ContinuousClock(), send: send)
  }

  /// The same with what a test wants to choose.
  package init(
    journal url: URL, configuration: Configuration = Configuration(),
    coding: (encode: @Sendable (Change) throws -> Data, decode: @Sendable (Data) throws -> Change),
    clock: any Clock<Duration>,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    system: any FileSystem = PosixFileSystem(),
    send: @escaping @Sendable @concurrent (Entry) async throws -> Answer
  ) async throws(OutboxError) {
    let path = try url.journalPath()
    let (encode, decode) = (Self.checked(coding), coding.decode)
    var machine = _StateMachine(
      configuration: configuration, path: path, opening: .random(in: .min ... .max), random: random, encode: encode)
    let (file, found, setAside, error) = try await JournalWorker.start(
      at: path, in: system, newWriter: .random(in: .min ... .max), failure: { OutboxError($0, path: path) },
      recover: { (found: JournalContentsOnOpen<_OutboxRecord>) throws(OutboxError) in
        let write = try machine.recover(found.contents) { try decode(Data($0)) }
        return (write, !machine.queue.isEmpty, machine.undecodedLetter != nil)
      })
    recovery = Recovery(
      pendingCount: machine.queue.count, deadLetterCount: machine.queue.deadLetterCount,
      damage: found.contents.damage,
      setAside: setAside.map { url.deletingLastPathComponent().appending(path: $0) },
      readError: found.failure.map { OutboxError($0, path: path) } ?? machine.undecodedLetter)
    let actions = machine.finishWrite(error: error)
    self.machine = machine
    self.journal = file
    self.clock = clock
    self.elapsed = stopwatch(clock)
    self.encode = encode
    self.send = send
    perform(actions)
  }

  deinit { timer?.task.cancel() }

  func makeTicket() -> Int {
    ticketCount += 1
    return ticketCount
  }
}

extension Outbox where Change: Codable {
  private static var json: (encode: @Sendable (Change) throws -> Data, decode: @Sendable (Data) throws -> Change) {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    return ({ try encoder.encode($0) }, { try decoder.decode(Change.self, from: $0) })
  }
}

extension Outbox {
  /// What makes bytes of a change, and fails where these do not give the change back: after a start it would be lost,
  /// or be in the way of all others.
  private static func checked(
    _ coding: (encode: @Sendable (Change) throws -> Data, decode: @Sendable (Data) throws -> Change)
  ) -> @Sendable (Change) throws -> [UInt8] {
    let (encode, decode) = coding
    return { change in
      let data = try encode(change)
      let decoded: Change
      do { decoded = try decode(data) } catch {
        throw IrreversibleCoding(
          description: "it cannot be decoded again: \(OutboxError.explanation(of: error))")
      }
      guard decoded.key == change.key else {
        throw IrreversibleCoding(description: "it has another key when it is decoded again")
      }
      return Array(data)
    }
  }
}

private struct IrreversibleCoding: Error, CustomStringConvertible {
  let description: String
}

/// What reads the time since now.
private func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}

extension URL {
  /// The path of the journal that the URL locates.
  fileprivate func journalPath() throws(OutboxError) -> String {
    guard let path = localPath, path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
      throw OutboxError(path: isFileURL ? path(percentEncoded: false) : absoluteString, reason: .invalidPath)
    }
    return path
  }
}
