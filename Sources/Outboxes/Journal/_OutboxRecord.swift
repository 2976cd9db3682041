package import Journals

/// A record of an outbox's journal, and its encoding in bytes.
///
///     payload  kind 1 │ identity 16 │ the rest, or kind 71 │ name, or kind 75 │ wait
///     kind     change 65, joining change 66, left 67, failed 68, refused 69, requeued 70, type 71, begun 72, ended 73
///              delayed 74, paused 75
///     rest     65: contents (`_OutboxContents`) │ 66: identity of what it joins 16, contents
///              67, 70, 72: nothing │ 68: failure │ 69: identity of what takes it along 16, failure
///              73: interruptions 4, or 2³² - 1 for none │ 74: wait
///     wait     deadline in milliseconds since 1970 8 │ milliseconds 8
///     failure  attempts 4 │ size of the reason 4 │ reason
///
/// Numbers are little endian. The kinds differ from those of a `FileChangeWriter`, so that neither accepts a journal of
/// the other. An intact record of an unknown kind was written by a later version.
package enum _OutboxRecord: Hashable, Sendable {
  /// The number of attempts that failed, and the last reason.
  package struct Failure: Hashable, Sendable {
    package let attempts: Int
    package let reason: String

    /// - Parameter reason: The reason; only the beginning of a long one is kept.
    package init(attempts: Int, reason: String) {
      self.attempts = attempts
      self.reason = reason.utf8.count <= 1000 ? reason : String(reason.unicodeScalars.prefix(1000).map(Character.init))
    }

    fileprivate var bytes: [UInt8] {
      [UInt8](littleEndian: UInt32(clamping: attempts)) + [UInt8](littleEndian: UInt32(reason.utf8.count)) + reason.utf8
    }

    fileprivate init?(_ bytes: inout ArraySlice<UInt8>) {
      guard let attempts = bytes.takeInteger() as UInt32?, let reason = bytes.takeCounted() else { return nil }
      // Attempts are counted up from here, which must not overflow.
      let most = UInt32(Int32.max / 2)
      self.init(attempts: Int(min(attempts, most)), reason: String(decoding: reason, as: UTF8.self))
    }
  }

  /// A time that the server asked to wait, also across restarts.
  package struct Wait: Hashable, Sendable {
    /// The end, as a time since 1970.
    let deadline: Duration
    let delay: Duration

    package init(_ delay: Duration, from date: Date) {
      self.delay = delay
      deadline = .seconds(date.timeIntervalSince1970) + delay
    }

    /// The rest of the wait, which is never longer than the wait was: the clock may have been set back.
    func remaining(at date: Date) -> Wait {
      let rest = deadline - .seconds(date.timeIntervalSince1970)
      return Wait(min(max(rest, .zero), delay), from: date)
    }

    fileprivate var bytes: [UInt8] {
      [deadline, delay].flatMap { [UInt8](littleEndian: Int64(exactly: ($0 / .milliseconds(1)).rounded(.up)) ?? .max) }
    }

    fileprivate init?(_ bytes: inout ArraySlice<UInt8>) {
      guard let deadline = bytes.takeInteger() as UInt64?, let delay = bytes.takeInteger() as UInt64? else {
        return nil
      }
      self.deadline = .milliseconds(Int64(bitPattern: deadline))
      self.delay = Duration.milliseconds(Int64(bitPattern: delay)).forSleeping
    }
  }

  /// The change was accepted.
  ///
  /// `joins` is the waiting change of its key that it is combined with, as the policy of the type says. Without it, the
  /// change waits for any older change of its key, which has already been begun.
  case change(_OutboxID, joins: _OutboxID?, _OutboxContents)
  /// The change has left: it was sent or removed, or a newer one has replaced it.
  case left(_OutboxID)
  /// An attempt failed.
  case failed(_OutboxID, Failure)
  /// The change failed for good: it is a failure, or was merged into a newer change, which got another identity.
  case refused(_OutboxID, Failure, takenAs: _OutboxID)
  /// The failure is tried again.
  case requeued(_OutboxID)
  /// An attempt has begun.
  ///
  /// If no record says that it ended, the end of the process has interrupted it.
  case begun(_OutboxID)
  /// No attempt is under way; nil if the last one wasn't interrupted.
  case ended(_OutboxID, interruptions: Int?)
  /// The change isn't sent again before the end of a wait.
  case delayed(_OutboxID, Wait)
  /// No change is sent before the end of a wait; nil if the wait is over.
  case paused(Wait?)
  /// The changes of the journal have the type with this name; this record comes first.
  case type(String)
}

// MARK: - Writing

extension _OutboxRecord: JournalBody {
  private enum Kind: UInt8 {
    case change = 65, joining, left, failed, refused, requeued, type, begun, ended, delayed, paused
  }

  /// The number of bytes that the record of a change takes besides its contents.
  package static let overhead = JournalFrame.byteCount + 1 + _OutboxID.byteCount

  package var byteCount: Int {
    let parts = parts
    let ids = (parts.id == nil ? 0 : 1) + (parts.other == nil ? 0 : 1)
    return 1 + ids * _OutboxID.byteCount + parts.rest.count
  }

  package func append(to bytes: inout [UInt8]) {
    let parts = parts
    bytes.append(parts.kind.rawValue)
    parts.id?.append(to: &bytes)
    parts.other?.append(to: &bytes)
    bytes += parts.rest
  }

  private var parts: (kind: Kind, id: _OutboxID?, other: _OutboxID?, rest: [UInt8]) {
    switch self {
    case .change(let id, nil, let contents): (.change, id, nil, contents.bytes)
    case .change(let id, let older?, let contents): (.joining, id, older, contents.bytes)
    case .left(let id): (.left, id, nil, [])
    case .failed(let id, let failure): (.failed, id, nil, failure.bytes)
    case .refused(let id, let failure, let other): (.refused, id, other, failure.bytes)
    case .requeued(let id): (.requeued, id, nil, [])
    case .begun(let id): (.begun, id, nil, [])
    case .ended(let id, let interruptions):
      (.ended, id, nil, [UInt8](littleEndian: interruptions.map { UInt32(clamping: $0) } ?? .max))
    case .delayed(let id, let wait): (.delayed, id, nil, wait.bytes)
    case .paused(let wait): (.paused, nil, nil, (wait ?? Wait(.zero, from: Date(timeIntervalSince1970: 0))).bytes)
    case .type(let name): (.type, nil, nil, Array(name.utf8))
    }
  }

  // MARK: Reading

  package init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal) {
    guard let first = payload.first else { return nil }
    guard let kind = Kind(rawValue: first) else { throw .newerVersion }
    guard let record = Self.read(kind, payload.dropFirst()) else { return nil }
    self = record
  }

  /// - Parameter bytes: The payload after the kind.
  private static func read(_ kind: Kind, _ bytes: ArraySlice<UInt8>) -> _OutboxRecord? {
    var bytes = bytes
    if kind == .type { return .type(String(decoding: bytes, as: UTF8.self)) }
    if kind == .paused { return Wait(&bytes).map { .paused($0.delay > .zero ? $0 : nil) } }
    guard let id = _OutboxID(&bytes) else { return nil }
    let other = kind == .joining || kind == .refused ? _OutboxID(&bytes) : nil
    switch kind {
    case .type, .paused: return nil
    case .change: return _OutboxContents(bytes).map { .change(id, joins: nil, $0) }
    case .joining: return other.flatMap { older in _OutboxContents(bytes).map { .change(id, joins: older, $0) } }
    case .left: return .left(id)
    case .failed: return Failure(&bytes).map { .failed(id, $0) }
    case .refused: return other.flatMap { other in Failure(&bytes).map { .refused(id, $0, takenAs: other) } }
    case .requeued: return .requeued(id)
    case .begun: return .begun(id)
    case .ended:
      guard let interruptions = bytes.takeInteger() as UInt32? else { return nil }
      // The number is counted up from here, which must not overflow.
      let count = Int(min(interruptions, UInt32(Int32.max / 2)))
      return .ended(id, interruptions: interruptions == .max ? nil : count)
    case .delayed: return Wait(&bytes).map { .delayed(id, $0) }
    }
  }
}

/// The identity of an entry, which no other entry of any journal has.
///
/// Each opening of a journal draws a random number, and counts the entries that it accepts. So no identity is used
/// twice: not after damage, not by a journal that was removed and created again, not by two copies of one journal.
package struct _OutboxID: Hashable, Sendable {
  package static let byteCount = 16

  /// The opening of the journal that accepted the entry.
  package let opening: UInt64
  /// The number of the entry among those that the opening accepted.
  package let number: UInt64

  package init(opening: UInt64, number: UInt64) {
    self.opening = opening
    self.number = number
  }

  /// The identity as it is sent to the server: printable ASCII, at most 33 characters.
  package var text: String { opening.digits + "-" + String(number, radix: 16) }

  /// The identity with this text; nil if the text isn't an identity.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let opening = UInt64(parts[0], radix: 16), let number = UInt64(parts[1], radix: 16) else {
      return nil
    }
    self.init(opening: opening, number: number)
    // Other spellings of the numbers aren't identities.
    guard self.text == text else { return nil }
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: opening)
    bytes.append(littleEndian: number)
  }

  fileprivate init?(_ bytes: inout ArraySlice<UInt8>) {
    guard let opening = bytes.takeInteger() as UInt64?, let number = bytes.takeInteger() as UInt64? else { return nil }
    self.init(opening: opening, number: number)
  }
}
