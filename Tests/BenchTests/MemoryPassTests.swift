import AllocationCounter
import Foundation
import XCTest

@testable import bench

/// Tests of counting allocations, which are skipped under a sanitizer because nothing can be counted there.
final class MemoryPassTests: XCTestCase {
  private func requireCounting() throws {
    guard MemoryPass.isSupported else { throw XCTSkip("Allocations cannot be counted in this process") }
  }

  private func memory(
    _ benchmark: (inout Suite) -> Void, size: Int = 1
  ) throws -> [Results.Memory] {
    let benchmark = Suite("Test", benchmark).benchmarks[0]
    return try benchmark.makeLanes(size).map { lane in
      try settled { try XCTUnwrap(MemoryPass.measure(lane, of: benchmark, size: size)) }
    }
  }

  /// Repeats `answer` until it returns the same value twice in a row.
  ///
  /// All threads are counted, and ending threads of other tests may disturb the count.
  private func settled<Answer: Equatable>(_ answer: () throws -> Answer) rethrows -> Answer {
    var last = try answer()
    for _ in 0..<100 {
      let next = try answer()
      if next == last { break }
      last = next
    }
    return last
  }

  func testUnsupportedCountIsNilAndNotZero() {
    guard !MemoryPass.isSupported else { return }
    let same = Suite.harness.benchmarks[1]
    XCTAssertNil(MemoryPass.measure(same.makeLanes(64)[0], of: same, size: 64))
  }

  func testSelfTestCountsItsObjects() throws {
    try requireCounting()
    let counted = settled {
      let test = SelfTest.run()
      return [test.allocations, test.requestedBytes]
    }
    XCTAssertEqual(counted, [1000, 32_000])
  }

  func testNothingIsCountedWhileCountingIsOff() throws {
    try requireCounting()
    let counted = settled {
      let before = MemoryPass.counting {}
      sink(Array(repeating: 1, count: opaque(1000)))
      let after = allocation_counter_read()
      return [before.allocations, after.allocations, before.requested_bytes, after.requested_bytes]
    }
    XCTAssertEqual(counted, [0, 0, 0, 0])
  }

  func testEveryAllocationFunctionIsCountedWithItsBytes() throws {
    try requireCounting()
    func counts(_ body: () -> Void) -> [Int64] {
      settled {
        let counted = MemoryPass.counting(body)
        return [counted.allocations, counted.deallocations, counted.reallocations, counted.requested_bytes]
      }
    }
    XCTAssertEqual(counts { unsafe free(opaque(malloc(100))) }, [1, 1, 0, 100])
    XCTAssertEqual(counts { unsafe free(opaque(calloc(3, 7))) }, [1, 1, 0, 21])
    XCTAssertEqual(counts { unsafe free(opaque(realloc(nil, 33))) }, [1, 1, 0, 33])
    XCTAssertEqual(counts { unsafe free(opaque(realloc(opaque(malloc(10)), 1000))) }, [1, 1, 1, 1010])
    XCTAssertEqual(counts { unsafe free(opaque(aligned_alloc(64, 128))) }, [1, 1, 0, 128])
    let aligned = counts {
      var block: UnsafeMutableRawPointer?
      unsafe posix_memalign(&block, 256, 100)
      unsafe free(opaque(block))
    }
    XCTAssertEqual(aligned, [1, 1, 0, 100])
    let swift = counts {
      let block = UnsafeMutableRawPointer.allocate(byteCount: 48, alignment: 128)
      unsafe opaque(block).deallocate()
    }
    XCTAssertEqual(swift[..<3], [1, 1, 0])
  }

  func testLiveAndPeakBytesAreCounted() throws {
    try requireCounting()
    let counted = settled {
      var kept: UnsafeMutableRawPointer?
      let held = MemoryPass.counting {
        unsafe free(opaque(malloc(10_000)))
        unsafe kept = opaque(malloc(1000))
      }
      let givenBack = MemoryPass.counting { unsafe free(kept) }
      return [held.live_bytes, held.peak_bytes, givenBack.live_bytes, givenBack.peak_bytes]
    }
    XCTAssertTrue((1000..<1100).contains(counted[0]), "\(counted)")
    XCTAssertTrue((10_000..<10_100).contains(counted[1]), "\(counted)")
    XCTAssertEqual(counted[2...], [-counted[0], 0])
  }

  func testFailedAllocationIsNotCounted() throws {
    try requireCounting()
    let most = opaque(Int.max)
    func fail() {
      unsafe free(opaque(malloc(most)))
      unsafe free(opaque(calloc(most, 16)))
      var block: UnsafeMutableRawPointer?
      sink(Int(unsafe posix_memalign(&block, 3, 8)))
    }
    let counted = settled {
      let counted = MemoryPass.counting(fail)
      return [counted.allocations, counted.requested_bytes]
    }
    XCTAssertEqual(counted, [0, 0])
  }

  func testAllThreadsAreCounted() throws {
    try requireCounting()
    let counted = MemoryPass.counting {
      blocking {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 {
            group.addTask {
              for size in 1...10_000 { unsafe free(opaque(malloc(size))) }
            }
          }
        }
      }
    }
    XCTAssertGreaterThanOrEqual(counted.allocations, 40_000)
    XCTAssertLessThan(counted.allocations, 45_000)
  }

  // MARK: The pass

  func testAppendingToAFreshArrayAllocatesOncePerDoubling() throws {
    try requireCounting()
    let memory = try memory { suite in
      suite.benchmark("append", "append", state: .fresh(upTo: 1000), input: { $0 }) { race in
        race.subject("Array") { _ in
          [Int]()
        } run: { array, _, operations in
          for i in operations { array.append(i) }
          return array.count
        }
      }
    }[0]
    XCTAssertEqual(memory.operations, 1000)
    XCTAssertEqual(memory.allocations, 10)
    XCTAssertEqual(memory.liveBytes, 0)
    XCTAssertTrue(try (8000..<17_000).contains(XCTUnwrap(memory.grownBytes)), "\(memory)")
  }

  func testKeptStateIsWarmedUpBeforeCounting() throws {
    try requireCounting()
    let memory = try memory { suite in
      suite.benchmark("refill", "append up to 512, then empty", input: { $0 }) { race in
        race.subject("Array") { _ in
          [Int]()
        } run: { array, _, operations in
          for i in operations {
            if array.count == 512 { array.removeAll(keepingCapacity: true) }
            array.append(i)
          }
          return array.count
        }
      }
    }[0]
    XCTAssertEqual(memory.allocations, 0)
    XCTAssertEqual(memory.requestedBytes, 0)
    XCTAssertGreaterThan(try XCTUnwrap(memory.peakBytes), 4096, "though it was counted for the peak")
  }

  func testLiveBytesExcludeTheInput() throws {
    try requireCounting()
    let memory = try memory(
      { suite in
        suite.benchmark("hold", "nothing", sizes: .exactly(1000)) { n in
          Array(repeating: 7, count: n)
        } contenders: { race in
          race.subject("nothing", setUp: { _ in 0 }, run: { _, _, operations in operations.count })
          race.peer("the input", setUp: { $0 }, run: { _, _, operations in operations.count })
          race.peer("a copy", setUp: { $0.map { $0 + 1 } }, run: { _, _, operations in operations.count })
        }
      }, size: 1000)
    XCTAssertEqual(memory.map(\.liveBytes)[..<2], [0, 0])
    XCTAssertTrue(try (8000..<8200).contains(XCTUnwrap(memory[2].liveBytes)))
  }

  func testHeavyOperationsAreCountedFewerTimes() throws {
    try requireCounting()
    let memory = try memory { suite in
      suite.benchmark("snapshot", "copy 64 MiB", input: { _ in opaque(64 << 20) }) { race in
        race.subject("bytes", setUp: { _ in 0 }) { _, size, operations in
          for _ in operations { unsafe free(opaque(malloc(size))) }
          return operations.count
        }
      }
    }[0]
    XCTAssertEqual(memory.operations, 4)
    XCTAssertEqual(memory.allocations, 4)
    XCTAssertEqual(memory.requestedBytes, 4 * 64 << 20)
  }
}
