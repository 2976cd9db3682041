import Foundation
import XCTest

@testable import bench

/// The description of the processor in the results.
final class ProcessorTests: XCTestCase {
  private var folder: URL!

  override func setUpWithError() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDown() { try? FileManager.default.removeItem(at: folder) }

  #if !canImport(Darwin)
    private func put(_ name: String, _ files: [String: String]) throws {
      let cache = folder.appending(path: name)
      try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
      for (file, text) in files { try Data((text + "\n").utf8).write(to: cache.appending(path: file)) }
    }

    func testDataCachesAreReadInOrderOfTheirLevels() throws {
      try put("index3", ["level": "3", "type": "Unified", "size": "32768K", "shared_cpu_list": "0-3,8"])
      try put("index0", ["level": "1", "type": "Data", "size": "48K", "shared_cpu_list": "0"])
      try put("index1", ["level": "1", "type": "Instruction", "size": "32K", "shared_cpu_list": "0"])
      try put("index2", ["level": "2", "type": "Unified", "size": "1M"])
      try put("power", ["level": "9", "type": "Data", "size": "1K"])
      XCTAssertEqual(
        Processor.caches(in: folder),
        [
          Processor.Cache(level: 1, bytes: 48 << 10, cores: 1), Processor.Cache(level: 2, bytes: 1 << 20),
          Processor.Cache(level: 3, bytes: 32 << 20, cores: 5),
        ])
      XCTAssertEqual(
        Processor.caches(in: folder)?.map(\.size), ["48 KiB", "1 MiB", "32 MiB for 5 cores"])
    }

    func testInvalidCacheEntriesAreIgnored() throws {
      XCTAssertNil(Processor.caches(in: folder))
      XCTAssertNil(Processor.caches(in: folder.appending(path: "none")))
      try put("index0", ["level": "one", "type": "Data", "size": "48K"])
      try put("index1", ["level": "1", "type": "Data", "size": "99999999999999999G"])
      try put("index2", ["level": "1", "type": "Data", "size": ""])
      XCTAssertNil(Processor.caches(in: folder))
      for list in ["3-1", "", "x", "0-99999999", "1-2-3"] {
        try put("index3", ["level": "1", "type": "Data", "size": "4096", "shared_cpu_list": list])
        XCTAssertEqual(Processor.caches(in: folder), [Processor.Cache(level: 1, bytes: 4096)], list)
      }
    }
  #endif

  func testProcessorIsDescribedInALineAndWrittenToTheResults() throws {
    var environment = Environment.current
    (environment.cpu, environment.cpuModel, environment.cores) = ("Maker X", nil, 1)
    environment.caches = nil
    XCTAssertEqual(environment.processor, "Maker X, 1 core")
    environment.cpuModel = "family 6, model 7"
    environment.caches = [
      Processor.Cache(level: 1, bytes: 32 << 10), Processor.Cache(level: 2, bytes: 2 << 20, cores: 4),
    ]
    XCTAssertEqual(environment.processor, "Maker X (family 6, model 7), 1 core, L1 32 KiB, L2 2 MiB for 4 cores")
    let results = Results(kind: .full, environment: environment)
    XCTAssertEqual(try ResultsFile.decode(ResultsFile.encode(results)).environment.caches, environment.caches)
  }
}
