import Partials
import TestSupport
import XCTest

private protocol Shape: Sendable { var area: Int { get } }
private struct Point: Shape, Equatable { var area = 0 }
/// Too large for an existential to store inline.
private struct Polygon: Shape {
  var area: Int
  var corners = (0.0, 1.0, 2.0, 3.0, 4.0)
  var name = LifetimeTracker().instance("polygon")
}

private enum Single { case only }
private struct Empty: Equatable {}
private indirect enum Branch: Equatable { case leaf, fork(Branch, String, Branch) }

private struct Box<Value> {
  var item: Value
  var number = 0
}

extension Box: Sendable where Value: Sendable {}

private struct Kinds {
  var byte: UInt8 = 0
  var concrete: Int.Type = Int.self
  var existential: any Shape.Type = Point.self
  var function: (@Sendable (Int) -> Int)?
  var pair: (number: Int, function: @Sendable (Int) -> Int) = (0, { $0 })
  var functions: [@Sendable (Int) throws -> String] = []
  var cFunction: @convention(c) (Int) -> Int = { $0 }
  var single = Single.only
  var empties = (Empty(), Empty())
  var nothing: Void?
  var never: Never?
  var wide = Int128.max
  var row = InlineArray<5, UInt8>(repeating: 0)
  var branch = Branch.leaf
  var shape: any Shape = Point()
  var error: Result<Int, any Error> = .success(1)
  var last: UInt8 = 1
}

/// Values of kinds that the compiler treats specially, such as metatypes, functions and types without bytes.
final class PartialValueKindTests: XCTestCase {
  func testMetatypesAreStored() {
    var partial = Partial<Kinds>()
    partial.concrete = Int.self
    partial.existential = Polygon.self
    XCTAssertTrue(partial.concrete == Int.self)
    XCTAssertTrue(partial.existential == Polygon.self)
    XCTAssertNil(partial.byte)
    XCTAssertTrue(Partial<Int.Type>(Int.self)[\.self] == Int.self)
  }

  func testFunctionsAreStoredAndCalled() throws {
    var partial = Partial<Kinds>()
    partial.function = { $0 * 2 }
    partial.pair = (1, { $0 * 3 } as @Sendable (Int) -> Int)
    partial.functions = [{ "\($0)" }]
    partial.cFunction = { $0 + 1 }
    var root = Kinds()
    partial.apply(to: &root)
    for partial in [partial, Partial(root), Partial(over: root)] {
      XCTAssertEqual(partial.function??(5), 10)
      XCTAssertEqual(partial.pair?.function(5), 15)
      XCTAssertEqual(partial.pair?.number, 1)
      XCTAssertEqual(try partial.functions?[0](5), "5")
      XCTAssertEqual(partial.cFunction?(5), 6)
    }
    let function = Partial<@Sendable (Int) -> Int>({ $0 + 1 })
    XCTAssertEqual(function[\.self]?(1), 2)
  }

  func testPropertyOfAGenericRootHoldsAnyType() {
    func check<Value: Sendable>(_ value: Value, isSame: (Value, Value) -> Bool, line: UInt = #line) {
      var partial = Partial<Box<Value>>()
      partial.item = value
      XCTAssertTrue(partial.item.map { isSame($0, value) } ?? false, "\(Value.self)", line: line)
      XCTAssertNil(partial.number, line: line)
      partial.number = 7
      var root = Box(item: value)
      partial.apply(to: &root)
      var over = Partial(over: root)
      over.item = value
      over.number = 8
      over.number = nil
      XCTAssertEqual(over[\.self]?.number, 7, "\(Value.self)", line: line)
      XCTAssertTrue(partial.removeValue(for: \.item).map { isSame($0, value) } ?? false, line: line)
      XCTAssertEqual(partial.count, 1, "\(Value.self)", line: line)
    }
    check(1, isSame: ==)
    check("text", isSame: ==)
    check((), isSame: ==)
    check((1, "one", [1]), isSame: ==)
    check(nil as String??, isSame: ==)
    check(.some(nil) as String??, isSame: ==)
    check(Int128.min, isSame: ==)
    check(SIMD3<Double>(1, 2, 3), isSame: ==)
    check(Int.self as any Any.Type, isSame: ==)
    check({ $0 + 1 } as @Sendable (Int) -> Int) { $0(1) == $1(1) }
    check("erased" as any Sendable) { "\($0)" == "\($1)" }
  }

  func testValuesWithoutBytesAreSetIndependently() {
    var partial = Partial<Kinds>()
    partial.single = .only
    partial.empties = (Empty(), Empty())
    XCTAssertEqual(partial.count, 2)
    XCTAssertNotNil(partial.single)
    XCTAssertNotNil(partial.empties)
    XCTAssertNil(partial.wide)
    partial.single = nil
    XCTAssertNil(partial.single)
    XCTAssertTrue(Partial(over: Kinds()).contains(\.empties))
  }

  func testOptionalsOfVoidAndNeverAreStored() {
    var partial = Partial<Kinds>()
    partial.nothing = .some(nil)
    partial.never = .some(nil)
    XCTAssertEqual(partial.count, 2)
    XCTAssertTrue(partial.contains(\.nothing))
    XCTAssertTrue(partial.contains(\.never))
    partial.nothing = .some(())
    XCTAssertNotNil(partial.nothing ?? nil)
  }

  func testReplacedEnumsAndExistentialsDoNotChangeCopies() {
    var partial = Partial<Kinds>()
    partial[\.branch] = .fork(.leaf, "a", .fork(.leaf, "b", .leaf))
    partial.shape = Polygon(area: 3)
    partial.error = .failure(CancellationError())
    let copy = partial
    partial[\.branch] = .leaf
    partial.shape = Point(area: 1)
    partial.shape = Polygon(area: 4)
    partial.error = .success(2)
    XCTAssertEqual(copy[\.branch], .fork(.leaf, "a", .fork(.leaf, "b", .leaf)))
    XCTAssertEqual(copy.shape?.area, 3)
    XCTAssertThrowsError(try copy.error?.get())
    XCTAssertEqual(partial[\.branch], .leaf)
    XCTAssertEqual(partial.shape?.area, 4)
    XCTAssertEqual(try partial.error?.get(), 2)
  }

  func testRootCanBeAnyKindOfType() {
    var erased = Partial<any Sendable>(5)
    erased[\.self] = "a text that is long enough for the heap"
    XCTAssertEqual(erased[\.self] as? String, "a text that is long enough for the heap")

    var optional = Partial<Box<Int>?>(Box(item: 3))
    XCTAssertEqual(optional[\.?.item], .some(3))
    optional[\.?.item] = 4
    var root: Box<Int>? = Box(item: 1)
    XCTAssertEqual(optional.apply(to: &root), [\.?.item], "an optional chain is read-only")
    XCTAssertEqual(root?.item, 3)

    XCTAssertEqual(Partial([1, 2, 3])[\.[1]], 2)
    XCTAssertEqual(Partial(["a": 1])[\.["a"]], .some(1))
    XCTAssertTrue(Partial<Void>(()).contains(\.self))

    var tuple = Partial<(a: Int, b: (c: String, d: Bool))>()
    tuple[\.b] = ("c", false)
    tuple[\.b.d] = true
    XCTAssertEqual(tuple[\.b]?.c, "c")
    XCTAssertEqual(tuple[\.b]?.d, true)
    XCTAssertNil(tuple[\.a])
  }

  func testPartialCanContainAPartial() {
    var partial = Partial<Box<Partial<Box<String>>>>()
    partial.item = Partial()
    partial.item?.item = "a"
    let copy = partial
    partial.item?.item?.append("b")
    XCTAssertEqual(partial.item?.item, "ab")
    XCTAssertEqual(copy.item?.item, "a")
    let over = Partial(over: Box(item: Partial(over: Box(item: "c"))))
    XCTAssertEqual(over.item?.item, "c")
  }

  func testLargeRootWithFewSetValuesIsReadAndChanged() {
    struct Page {
      var head = 1
      var bytes = InlineArray<5_000, UInt8>(repeating: 1)
      var tail = "tail"
    }
    var partial = Partial<Page>()
    partial.tail = "end"
    XCTAssertEqual(partial.tail, "end")
    XCTAssertFalse(partial.contains(\.bytes))
    var over = Partial(over: Page())
    over.tail = "end"
    over.bytes?[4_999] = 2
    XCTAssertEqual(over[\.self]?.tail, "end")
    XCTAssertEqual(over[\.self]?.bytes[4_999], 2)
    over.tail = nil
    XCTAssertEqual(over.tail, "tail")
  }

  func testDeinitializerOfAValueMayUseAnotherPartial() {
    withLifetimeTracking { tracker in
      struct Pair { var first: Ending, second: Ending }
      final class Ending: Sendable {
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
      }
      let tracked = tracker.instance(1)
      let end: @Sendable () -> Void = {
        var other = Partial<Box<LifetimeTracked<Int>>>()
        other.item = tracked
        other.item = nil
      }
      var partial = Partial<Pair>()
      partial.first = Ending(end)
      partial.first = Ending(end)
      partial.second = Ending(end)
      var other = partial
      other.second = Ending(end)
      other.merge(partial)
      partial.removeAll()
      var over = Partial(over: Pair(first: Ending(end), second: Ending(end)))
      over.first = Ending(end)
      over.merge(other)
      over.first = nil
      expect(over.first != nil, "the original has a first value")
    }
  }
}
