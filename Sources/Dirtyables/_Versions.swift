/// Every version of a value that a `Dirtyable` knows of, laid out for a change: taken out of the record, changed, put back.
///
/// Versions carry numbers so that "nothing was written in between" needs no `Equatable`: two versions with one number are
/// the same value. A write takes the current value's number away; ``begin(_:id:)`` gives it a new one.
///
/// ```
///            number   0          1          2            nil
///                 original ─▶ in flight ─▶ in flight ─▶ current
///                     ▲           │
///                     └── finish ─┘
/// ```
internal struct _Versions<Value> {
  internal struct Version {
    internal var value: Value
    internal var number: Int
  }

  internal struct Save {
    internal let id: Dirtyable<Value>.Save.ID
    internal var version: Version
  }

  internal var original: Version
  /// Oldest first.
  internal var saves: [Save]
  /// The number of the version that the current value is; nil when it was written since.
  internal var currentNumber: Int?
  internal var lastNumber: Int

  /// The version that the store holds once every save in flight has succeeded.
  internal var newest: Version { saves.last?.version ?? original }

  internal var isTouched: Bool { currentNumber != original.number }

  private var numbers: Set<Int> { Set(saves.map(\.version.number) + [original.number]) }

  /// Puts a save of `current` in flight.
  internal mutating func begin(_ current: Value, id: Dirtyable<Value>.Save.ID) {
    let number = currentNumber ?? nextNumber()
    currentNumber = number
    saves.append(Save(id: id, version: Version(value: current, number: number)))
  }

  /// Makes what a save wrote the original, and with it settles every save begun before; false if it is not in flight.
  internal mutating func finish(_ id: Dirtyable<Value>.Save.ID) -> Bool {
    guard let index = saves.firstIndex(where: { $0.id == id }) else { return false }
    original = saves[index].version
    saves.removeSubrange(...index)
    return true
  }

  /// Forgets a save; false if it is not in flight.
  internal mutating func fail(_ id: Dirtyable<Value>.Save.ID) -> Bool {
    guard let index = saves.firstIndex(where: { $0.id == id }) else { return false }
    saves.remove(at: index)
    return true
  }

  /// Puts a new value in the place of the original, under a number of its own.
  internal mutating func replaceOriginal(by value: Value) {
    original = Version(value: value, number: nextNumber())
  }

  /// Writes one member to the original and to every save in flight.
  ///
  /// Versions with one number stay equal, as all of them get the same member. The version that the current value is stays
  /// as it was, as the member comes from there.
  internal mutating func write<Member>(_ member: Member, to keyPath: WritableKeyPath<Value, Member>) {
    original.value[keyPath: keyPath] = member
    for index in saves.indices { saves[index].version.value[keyPath: keyPath] = member }
  }

  private mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  internal var isCurrentKnown: Bool { currentNumber.map(numbers.contains) ?? false }
}

/// What a record keeps of `_Versions`, beside the original's value, while saves are in flight.
@usableFromInline
internal final class _Flight<Value> {
  private let saves: [_Versions<Value>.Save]
  private let originalNumber: Int
  private let currentNumber: Int?
  private let lastNumber: Int

  fileprivate init(_ versions: _Versions<Value>) {
    saves = versions.saves
    originalNumber = versions.original.number
    currentNumber = versions.currentNumber
    lastNumber = versions.lastNumber
  }

  fileprivate func versions(original: Value, isEdited: Bool) -> _Versions<Value> {
    _Versions(
      original: _Versions.Version(value: original, number: originalNumber), saves: saves,
      currentNumber: isEdited ? nil : currentNumber, lastNumber: lastNumber)
  }

  @usableFromInline
  internal var isCurrentTheOriginal: Bool { currentNumber == originalNumber }
}

extension Dirtyable {
  /// The versions known of, as a value to change; ``_setVersions(_:)`` puts it back.
  internal var _versions: _Versions<Value> {
    guard let record = _baseline.record else {
      return _Versions(
        original: _Versions.Version(value: _current, number: 0), saves: [], currentNumber: 0, lastNumber: 0)
    }
    if let flight = record.flight {
      return flight.versions(original: record.original, isEdited: _baseline.isEdited)
    }
    return _Versions(
      original: _Versions.Version(value: record.original, number: 0), saves: [], currentNumber: nil, lastNumber: 0)
  }

  /// Records the versions in the least that tells them: no object at all where only the current value is left.
  internal mutating func _setVersions(_ versions: _Versions<Value>) {
    defer { _checkInvariants() }
    if versions.saves.isEmpty {
      _baseline = versions.isTouched ? .edited(_Record(original: versions.original.value, flight: nil)) : .untouched
    } else {
      let record = _Record(original: versions.original.value, flight: _Flight(versions))
      _baseline = versions.isCurrentKnown ? .settled(record) : .edited(record)
    }
  }
}
