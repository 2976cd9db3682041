import Foundation
import XCTest

@testable import bench

/// Sessions that another process types.
final class TypedSessionTests: XCTestCase {
  private func session(_ edits: [EditingTrace.Edit]) throws -> (typed: TypedSession, file: URL) {
    let patches = edits.map { [[$0.range.lowerBound, $0.range.count, $0.text] as [Any]] }
    var end = "Start."
    for edit in edits { end.replaceUTF8(edit.range, with: edit.text) }
    let object: [String: Any] = [
      "startContent": "Start.", "endContent": end, "txns": patches.map { ["patches": $0] },
    ]
    let file = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID()).json")
    try JSONSerialization.data(withJSONObject: object).write(to: file)
    let products = try XCTUnwrap(Bundle.main.executableURL).deletingLastPathComponent()
    let bench = products.appending(path: "bench")
    guard FileManager.default.isExecutableFile(atPath: bench.path) else { throw XCTSkip("bench is elsewhere") }
    return (TypedSession(trace: try EditingTrace(path: file.path), path: file.path, executable: bench), file)
  }

  /// Words that come, are deleted backwards, and go on elsewhere.
  private var edits: [EditingTrace.Edit] {
    (0..<600).map { index in
      let end = 6 + index / 3
      return switch index % 3 {
      case 0: EditingTrace.Edit(range: end..<end, text: "ab")
      case 1: EditingTrace.Edit(range: end + 1..<end + 2, text: "")
      default: EditingTrace.Edit(range: 0..<1, text: "\(index % 10)")
      }
    }
  }

  func testWhatWasTypedIsThereWithEveryStep() throws {
    let (typed, file) = try session(edits)
    defer { try? FileManager.default.removeItem(at: file) }
    let finding = try typed.find(killing: false)
    XCTAssertEqual(finding.durable, 600)
    XCTAssertEqual(finding.found, 600)
    XCTAssertGreaterThan(finding.steps, 400)
    XCTAssertFalse(finding.wasKilled)
  }

  func testBehindAKillWhatWasSaidToBeDurableIsThere() throws {
    let (typed, file) = try session(edits)
    defer { try? FileManager.default.removeItem(at: file) }
    for _ in 0..<5 {
      let finding = try typed.find(killing: true)
      XCTAssertGreaterThanOrEqual(try XCTUnwrap(finding.found), finding.durable)
    }
  }
}
