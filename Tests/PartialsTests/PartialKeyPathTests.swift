import Partials
import TestSupport
import XCTest

/// Never sent anywhere; `Sendable` because a partial requires that of values that its root does not store.
private final class Account: @unchecked Sendable {
  var owner = ""
  let opened: Int
  var next: Account?

  init(opened: Int) { self.opened = opened }
}

@propertyWrapper
private struct Clamped {
  private var value = 0
  var wrappedValue: Int {
    get { value }
    set { value = min(max(newValue, 0), 100) }
  }
}

private struct Marker: Equatable {}
private struct Identifier: Equatable { var raw: Int }
private struct Flags: Equatable {
  var first: Bool
  var second: Bool
}
private enum State: Equatable { case idle, running(String) }
/// Aligned to sixteen bytes, the largest alignment in Swift.
private struct OverAligned: Equatable {
  var lanes: SIMD16<Float>
  var note: String
}

private struct Everything {
  var integer = 1
  let constant = "constant"
  var flags = Flags(first: true, second: false)
  var pair = (left: UInt8(1), right: "right")
  var identifier = Identifier(raw: 1)
  var state = State.idle
  var optional: Int?? = nil
  var existential: any CustomStringConvertible & Sendable = "existential"
  var anything: any Sendable = 1
  var aligned = OverAligned(lanes: SIMD16(repeating: 1), note: "")
  var account = Account(opened: 1)
  weak var weakly: Account?
  unowned var unowned: Account
  var observed = 1 { didSet { observations += 1 } }
  var observations = 0
  lazy var lazily = 1
  @Clamped var wrapped: Int
  var function: @Sendable (Int) -> Int = { $0 }
  var marker = Marker()
  var nothing: Void = ()
  var items = [1, 2, 3]
  var computed: Int {
    get { integer * 2 }
    set { integer = newValue / 2 }
  }
  var readOnly: String { "\(integer)" }
  subscript(index: Int) -> Int {
    get { items[index] }
    set { items[index] = newValue }
  }

  init(_ account: Account) { unowned = account }
}

final class PartialKeyPathTests: XCTestCase {
  private typealias Path<Value> = any KeyPath<Everything, Value> & Sendable

  /// Sets, reads, removes and sets again, through a key path that the optimizer cannot see through and through a
  /// literal.
  @inline(never)
  private func check<Value: Sendable>(
    _ keyPath: Path<Value>, _ first: Value, _ second: Value, isStored: Bool,
    _ setLiterally: (inout Partial<Everything>, Value?) -> Void, _ readLiterally: (Partial<Everything>) -> Value?,
    line: UInt = #line, isSame: (Value, Value) -> Bool
  ) {
    withTrace("\(keyPath)") {
      expect((MemoryLayout<Everything>.offset(of: keyPath) != nil) == isStored, "has an offset or not", line: line)
      var partial = Partial<Everything>()
      func expectValue(_ value: Value?, _ step: String) {
        for read in [partial[keyPath], readLiterally(partial), try? partial.value(for: keyPath)] {
          let isExpected = read.map { read in value.map { isSame(read, $0) } ?? false } ?? (value == nil)
          expect(isExpected, "\(step): read \(String(describing: read))", line: line)
        }
        expect(partial.contains(keyPath) == (value != nil), step, line: line)
        expect(partial.count == (value == nil ? 0 : 1), "\(step): \(partial.count) values", line: line)
      }
      expectValue(nil, "new")
      setLiterally(&partial, first)
      expectValue(first, "set")
      let copy = partial
      partial.update(keyPath, to: second)
      expectValue(second, "updated")
      expect(copy[keyPath].map { isSame($0, first) } ?? false, "the copy kept its value", line: line)
      expect(partial.removeValue(for: keyPath).map { isSame($0, second) } ?? false, "removed", line: line)
      expectValue(nil, "removed")
      partial[keyPath] = first
      expectValue(first, "set again")
      setLiterally(&partial, nil)
      expectValue(nil, "removed literally")
    }
  }

  @inline(never)
  private func check<Value: Equatable & Sendable>(
    _ keyPath: Path<Value>, _ first: Value, _ second: Value, isStored: Bool,
    _ setLiterally: (inout Partial<Everything>, Value?) -> Void, _ readLiterally: (Partial<Everything>) -> Value?,
    line: UInt = #line
  ) {
    check(keyPath, first, second, isStored: isStored, setLiterally, readLiterally, line: line, isSame: ==)
  }

  func testStoredPropertiesAreSetReadAndRemoved() {
    check(\.integer, 1, 2, isStored: true, { $0.integer = $1 }, { $0.integer })
    check(\.constant, "a", "b", isStored: true, { $0[\.constant] = $1 }, { $0[\.constant] })
    check(\.state, .idle, .running("x"), isStored: true, { $0.state = $1 }, { $0.state })
    check(\.items, [1], [2, 3], isStored: true, { $0.items = $1 }, { $0.items })
  }

  func testNestedPropertiesAndTupleElementsAreSetReadAndRemoved() {
    check(\.flags.second, true, false, isStored: true, { $0[\.flags.second] = $1 }, { $0[\.flags.second] })
    check(\.pair.left, 1, 2, isStored: true, { $0[\.pair.left] = $1 }, { $0[\.pair.left] })
    check(\.pair.right, "a", "b", isStored: true, { $0[\.pair.right] = $1 }, { $0[\.pair.right] })
    check(\.aligned.note, "a", "b", isStored: true, { $0[\.aligned.note] = $1 }, { $0[\.aligned.note] })
  }

  func testEachNilOfNestedOptionalsIsAValue() {
    check(\.optional, .some(nil), .some(1), isStored: true, { $0.optional = $1 }, { $0.optional })
    check(\.optional, nil, 2, isStored: true, { $0.optional = $1 }, { $0.optional })
  }

  func testExistentialsAreSetReadAndRemoved() {
    check(
      \.existential, "text", 7, isStored: true, { $0.existential = $1 }, { $0.existential },
      isSame: { $0.description == $1.description })
    check(\.anything, 1, "x", isStored: true, { $0.anything = $1 }, { $0.anything }, isSame: { "\($0)" == "\($1)" })
  }

  func testStoredValuesNeedNotBeSendable() {
    func put<Value>(_ value: Value, at keyPath: Path<Value>, in partial: inout Partial<Everything>) {
      partial.update(keyPath, to: value)
      partial[keyPath] = value
    }
    var partial = Partial<Everything>()
    put(1, at: \.integer, in: &partial)
    put("right", at: \.pair.right, in: &partial)
    XCTAssertEqual(partial.integer, 1)
    XCTAssertEqual(partial[\.pair.right], "right")
    XCTAssertEqual(partial.count, 2)
  }

  func testOverAlignedValuesAreSetReadAndRemoved() {
    let lanes = SIMD16<Float>(repeating: 3)
    check(\.aligned.lanes, lanes, lanes + 1, isStored: true, { $0[\.aligned.lanes] = $1 }, { $0[\.aligned.lanes] })
    check(
      \.aligned, OverAligned(lanes: lanes, note: "a"), OverAligned(lanes: lanes + 1, note: "b"), isStored: true,
      { $0.aligned = $1 }, { $0.aligned })
  }

  func testReferencesAreSetReadAndRemoved() {
    let (one, two) = (Account(opened: 1), Account(opened: 2))
    check(\.account, one, two, isStored: true, { $0.account = $1 }, { $0.account }, isSame: ===)
    check(\.weakly, one, nil, isStored: false, { $0.weakly = $1 }, { $0.weakly }, isSame: ===)
    check(\.unowned, one, two, isStored: false, { $0.unowned = $1 }, { $0.unowned }, isSame: ===)
  }

  func testCopiesKeepWeakReferencesWeak() {
    struct Leaf {
      weak var parent: Account?
      var number = 0
    }
    struct Branch {
      var leaf = Leaf()
      var bytes = (UInt8(0), UInt8(0), UInt8(0), UInt8(0), UInt8(0), UInt8(0), UInt8(0), UInt8(0))
      var end = UInt8(0)
    }
    var account: Account? = Account(opened: 1)
    var partial = Partial<Branch>()
    partial.leaf = Leaf(parent: account)
    partial[\.leaf.number] = 7
    let copy = partial
    // Fills the table, so that the value moves into a larger buffer.
    partial.end = 1
    partial[\.bytes.0] = 1
    partial[\.bytes.1] = 1
    partial[\.bytes.2] = 1
    partial[\.bytes.3] = 1
    partial[\.bytes.4] = 1
    var root = Branch()
    partial.apply(to: &root)
    var over = Partial(over: root)
    over.end = 2
    XCTAssertEqual(partial.leaf?.number, 7)
    for leaf in [partial.leaf, copy.leaf, root.leaf, over.leaf, over[\.self]?.leaf] {
      XCTAssertTrue(leaf?.parent === account)
    }
    account = nil
    for leaf in [partial.leaf, copy.leaf, root.leaf, over.leaf, over[\.self]?.leaf] { XCTAssertNil(leaf?.parent) }
    partial.leaf = nil
    XCTAssertEqual(copy.leaf?.number, 7)
  }

  func testPropertiesOfAnObjectAreSetReadAndRemoved() {
    check(\.account.owner, "a", "b", isStored: false, { $0[\.account.owner] = $1 }, { $0[\.account.owner] })
    check(\.account.opened, 1, 2, isStored: false, { $0[\.account.opened] = $1 }, { $0[\.account.opened] })
  }

  func testComputedAndObservedPropertiesAreSetReadAndRemoved() {
    check(\.computed, 1, 2, isStored: false, { $0.computed = $1 }, { $0.computed })
    check(\.readOnly, "a", "b", isStored: false, { $0[\.readOnly] = $1 }, { $0[\.readOnly] })
    check(\.observed, 1, 2, isStored: false, { $0.observed = $1 }, { $0.observed })
    check(\.wrapped, 1, 200, isStored: false, { $0.wrapped = $1 }, { $0.wrapped })
    check(
      \.function, { $0 + 1 }, { $0 + 2 }, isStored: false, { $0.function = $1 }, { $0.function },
      isSame: { $0(1) == $1(1) })
  }

  func testSubscriptsAndOptionalChainsAreSetReadAndRemoved() {
    check(\.items[1], 1, 2, isStored: false, { $0[\.items[1]] = $1 }, { $0[\.items[1]] })
    check(\.[2], 1, 2, isStored: false, { $0[\.[2]] = $1 }, { $0[\.[2]] })
    check(
      \.account.next?.owner, "a", nil, isStored: false, { $0[\.account.next?.owner] = $1 },
      { $0[\.account.next?.owner] })
    var partial = Partial<Everything>()
    partial[\.items[0]] = 5
    XCTAssertNil(partial[\.items[1]], "an index is a part of the key path")
  }

  func testValuesWithoutBytesAreSetReadAndRemoved() {
    check(\.marker, Marker(), Marker(), isStored: true, { $0.marker = $1 }, { $0.marker })
    check(\.nothing, (), (), isStored: true, { $0.nothing = $1 }, { $0.nothing }, isSame: { _, _ in true })
    var partial = Partial<Everything>()
    partial.marker = Marker()
    XCTAssertFalse(partial.contains(\.integer), "the first property begins where a value without bytes lies")
  }

  func testSettingTheOnlyPropertySetsItsStruct() {
    var partial = Partial<Everything>()
    partial[\.identifier.raw] = 7
    XCTAssertEqual(partial.identifier, Identifier(raw: 7))
    partial.identifier = Identifier(raw: 8)
    XCTAssertEqual(partial[\.identifier.raw], 8)
    XCTAssertEqual(partial.count, 1)
    partial.identifier = nil
    XCTAssertTrue(partial.isEmpty)
  }

  // MARK: Applying

  func testApplyRunsSettersInTheOrderOfTheAssignments() {
    let account = Account(opened: 1)
    var partial = Partial<Everything>()
    partial[\.items[0]] = 9
    partial.computed = 40
    partial[\.readOnly] = "no way"
    partial.observed = 3
    partial.wrapped = 300
    partial[\.account.owner] = "Ada"
    partial[\.account.opened] = 5
    partial.items = [7, 8]
    partial.weakly = account
    partial.computed = 20

    var root = Everything(account)
    let refused = partial.apply(to: &root)
    XCTAssertEqual(refused, [\Everything.readOnly, \Everything.account.opened])
    XCTAssertEqual(root.items, [7, 8], "the element first, then the stored property")
    XCTAssertEqual(root.integer, 10)
    XCTAssertEqual(root.observed, 3)
    XCTAssertEqual(root.observations, 1)
    XCTAssertEqual(root.wrapped, 100)
    XCTAssertEqual(root.account.owner, "Ada")
    XCTAssertTrue(root.weakly === account)
  }

  func testComputedPropertyIsChangedInPlace() {
    var partial = Partial<Everything>()
    partial.computed = 1
    let copy = partial
    partial.computed? += 1
    partial[\.computed]? += 1
    XCTAssertEqual(partial.computed, 3)
    XCTAssertEqual(copy.computed, 1)
  }

  // MARK: Roots that are not structs

  func testPartialOfAClassReadsAndWritesTheObject() throws {
    var partial = Partial<Account>()
    partial.owner = "Ada"
    partial[\.next] = .some(nil)
    XCTAssertEqual(try partial.value(for: \.owner), "Ada")
    XCTAssertNil(partial[\.opened])

    var account = Account(opened: 1)
    let same = account
    XCTAssertEqual(partial.apply(to: &account), [])
    XCTAssertTrue(account === same)
    XCTAssertEqual(account.owner, "Ada")

    let whole = Partial(account)
    XCTAssertTrue(whole[\.self] === account)
    XCTAssertEqual(whole.owner, "Ada", "the value is read from the object")
    XCTAssertEqual(whole.count, 1)
  }

  func testPartialWithAWholeRootReadsItsComputedProperties() {
    var root = Everything(Account(opened: 1))
    root.observed = 5
    var partial = Partial(root)
    XCTAssertEqual(partial.computed, 2)
    XCTAssertEqual(partial.observed, 5)
    XCTAssertEqual(partial.wrapped, 0)
    XCTAssertEqual(partial.account?.opened, 1)
    XCTAssertEqual(partial[\.account.opened], 1)
    XCTAssertEqual(partial[\.items[2]], 3)
    XCTAssertEqual(partial.marker, Marker())
    XCTAssertNil(Partial<Everything>.Validation(requiredKeyPaths: \.observed, \.readOnly).issues(in: partial))
    partial.integer = 4
    XCTAssertEqual(partial[\.readOnly], "4")
    partial.computed = 7
    XCTAssertEqual(partial.integer, 3, "the setter runs on the root")
    XCTAssertEqual(partial.computed, 6)
    partial.integer = nil
    XCTAssertNil(partial[\.readOnly])
    XCTAssertFalse(partial.contains(\.observed))
  }

  func testTuplesAndEnumsCanBeRoots() {
    var partial = Partial<(Int, String)>()
    partial[\.1] = "one"
    XCTAssertNil(partial[\.self])
    XCTAssertEqual(partial[\.1], "one")

    let state = Partial(State.running("x"))
    XCTAssertEqual(state[\.self], .running("x"))
  }

  func testStructWithoutBytesCanBeARoot() {
    var partial = Partial(Marker())
    XCTAssertEqual(partial[\.self], Marker())
    XCTAssertEqual(partial.count, 1)
    var root = Marker()
    XCTAssertEqual(partial.apply(to: &root), [])
    partial[\.self] = nil
    XCTAssertTrue(partial.isEmpty)
  }
}
