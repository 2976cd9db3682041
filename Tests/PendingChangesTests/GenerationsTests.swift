import PendingChanges
import TestSupport
import UniqueQueues
import XCTest

/// Compares the map from generations to ordinals with a dictionary.
final class GenerationsTests: XCTestCase {
  func testNumbersAreFoundAtTheEndsAndBetween() {
    var generations = _Generations()
    XCTAssertNil(generations.ordinal(of: 0))
    for number: UInt64 in [4, 5, 9, 10, 11, 40] { generations.append(number, at: _Ordinal(Int(number) * 2)) }
    XCTAssertEqual(
      [4, 5, 9, 10, 11, 40].map { generations.ordinal(of: $0) }, [8, 10, 18, 20, 22, 80].map(_Ordinal.init))
    for number: UInt64 in [0, 3, 6, 8, 12, 39, 41, .max] { XCTAssertNil(generations.ordinal(of: number)) }
  }

  func testLargestNumbersDoNotOverflow() {
    var generations = _Generations()
    for number: UInt64 in [1, 2, 1 << 63, .max - 1, .max] { generations.append(number, at: _Ordinal(7)) }
    for number: UInt64 in [1, 2, 1 << 63, .max - 1, .max] {
      XCTAssertEqual(generations.ordinal(of: number), _Ordinal(7))
    }
    XCTAssertNil(generations.ordinal(of: 3))
    XCTAssertNil(generations.ordinal(of: (1 << 63) + 1))
  }

  func testAppendingAndRemovingDoesNotGrowTheCapacity() {
    var generations = _Generations()
    // The oldest number stays, so that removals leave gaps.
    for number: UInt64 in 0..<10_000 {
      generations.append(number, at: _Ordinal(0))
      if number > 1 { XCTAssertEqual(generations.remove(number - 1), _Ordinal(0)) }
    }
    XCTAssertEqual(generations.count, 2)
    XCTAssertEqual(generations.capacity, 8)
  }

  func testEmptyingALargeRingReducesItsCapacity() {
    for remaining: UInt64 in [0, 1, 10, 100] {
      for takesTheNewest in [false, true] {
        var generations = _Generations()
        for number in 0..<(10_000 as UInt64) { generations.append(number, at: _Ordinal(Int(number))) }
        let gone = takesTheNewest ? remaining..<10_000 : 0..<10_000 - remaining
        for number in gone { XCTAssertEqual(generations.remove(number), _Ordinal(Int(number))) }
        XCTAssertEqual(generations.count, Int(remaining))
        XCTAssertLessThanOrEqual(generations.capacity, max(64, 4 * Int(remaining)))
        let kept = takesTheNewest ? 0..<remaining : 10_000 - remaining..<10_000
        for number in kept { XCTAssertEqual(generations.ordinal(of: number), _Ordinal(Int(number))) }
        generations.append(20_000, at: _Ordinal(7))
        XCTAssertEqual(generations.ordinal(of: 20_000), _Ordinal(7))
      }
    }
  }

  func testRingIsHalvedOnceLessThanAQuarterIsUsed() {
    for takesTheNewest in [false, true] {
      var generations = _Generations()
      for number in 0..<(256 as UInt64) { generations.append(number, at: _Ordinal(0)) }
      func remove(_ number: UInt64) { _ = generations.remove(takesTheNewest ? 255 - number : number) }
      for number in 0..<(192 as UInt64) { remove(number) }
      XCTAssertEqual(generations.capacity, 256)
      remove(192)
      XCTAssertEqual(generations.capacity, 128)
    }
  }

  func testSteadyUseKeepsTheCapacity() {
    for count: UInt64 in [1, 50, 65, 300] {
      var generations = _Generations()
      for number in 0..<(5000 as UInt64) { generations.append(number, at: _Ordinal(0)) }
      for number in 0..<5000 - count { _ = generations.remove(number) }
      var capacities: Set<Int> = []
      for number in 5000..<(9000 as UInt64) {
        generations.append(number, at: _Ordinal(0))
        _ = generations.remove(number - count)
        capacities.insert(generations.capacity)
      }
      XCTAssertEqual(capacities.count, 1, "\(count): \(capacities)")
    }
  }

  func testRandomHistoriesMatchADictionary() {
    withSeeds(200) { random in
      var generations = _Generations()
      var model: [UInt64: _Ordinal] = [:]
      var next = UInt64(random.int(in: 0..<100))
      // A history removes the oldest number, a random one, or hardly any.
      let order = random.int(in: 0..<3)
      for step in 0..<400 {
        if random.chance(oneIn: 2) {
          if random.chance(oneIn: 20) { next += UInt64(random.int(in: 1..<50)) }
          generations.append(next, at: _Ordinal(step))
          model[next] = _Ordinal(step)
          next += 1
        } else if order < 2 || random.chance(oneIn: 10) {
          let number = (order == 0 ? model.keys.min() : model.keys.sorted().randomElement(using: &random)) ?? 0
          expectEqual(generations.remove(number), model.removeValue(forKey: number))
          expectEqual(generations.remove(number), nil)
        }
        if random.chance(oneIn: 4), let number = model.keys.sorted().randomElement(using: &random) {
          generations.move(number, to: _Ordinal(step))
          model[number] = _Ordinal(step)
        }
        generations.move(next, to: _Ordinal(step))
        expectEqual(generations.count, model.count)
        let number = UInt64(random.int(in: 0..<Int(next) + 2))
        expectEqual(generations.ordinal(of: number), model[number], "\(number)")
      }
      for number in 0...next { expectEqual(generations.ordinal(of: number), model[number], "\(number)") }
    }
  }
}
