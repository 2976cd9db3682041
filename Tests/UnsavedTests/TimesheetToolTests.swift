import Foundation
import Unsaved
import XCTest

/// The hours of one day, which newer hours of that day replace while they wait to be sent.
private struct Hours: PendingChange, Codable {
  var day: String, hours: Double
  var key: String { day }
}

private struct Refusal: Error { var reason: String }

/// `hours add DAY HOURS`, `hours sync` and `hours drop ID`; each command is a process of its own.
private struct TimesheetTool {
  var journal: URL
  var patience = Duration.seconds(5)
  var put: @Sendable (_ hours: Hours, _ idempotencyKey: String) async throws -> Void

  func run(_ arguments: String...) async -> (status: Int32, output: [String]) {
    do {
      let outbox = try await Outbox<Hours>(journal: journal) { entry in
        do {
          try await put(entry.change, entry.id)
          return .done
        } catch let refusal as Refusal {
          return .refused(refusal.reason)
        }
      }
      let result = try await run(arguments, outbox)
      await outbox.close()
      return result
    } catch let error where error.reason == .inUse {
      return (75, ["hours is already running"])
    } catch {
      return (74, [error.description])
    }
  }

  private func run(_ arguments: [String], _ outbox: Outbox<Hours>) async throws(OutboxError) -> (Int32, [String]) {
    switch arguments.first {
    case "add":
      guard arguments.count == 3, let hours = Double(arguments[2]) else { return (64, ["usage: hours add DAY HOURS"]) }
      try await outbox.insert(Hours(day: arguments[1], hours: hours))
    case "drop":
      guard arguments.count == 2, let entry = await outbox.remove(id: arguments[1]) else { return (66, ["no such id"]) }
      return (0, ["dropped \(entry.change.day)"])
    default: break
    }
    do {
      try await outbox.drain(within: patience)
    } catch let error where error.reason == .notDrained {
      return (75, await outbox.pending.map { "\($0.change.day) \($0.change.hours) waits" })
    }
    let refused = await outbox.failures.map { "\($0.id) \($0.change.day): \($0.failureReason ?? "")" }
    return (refused.isEmpty ? 0 : 65, refused)
  }
}

private actor TimesheetServer {
  struct Away: Error {}
  var isThere = false
  private(set) var received: [String] = []
  private var keys: Set<String> = []

  func open() { isThere = true }

  func put(_ hours: Hours, _ idempotencyKey: String) throws {
    guard isThere else { throw Away() }
    if hours.hours > 24 { throw Refusal(reason: "a day has 24 hours") }
    if keys.insert(idempotencyKey).inserted { received.append("\(hours.day) \(hours.hours)") }
  }
}

/// A command-line tool whose requests survive a server that is away, written as its author would write it.
final class TimesheetToolTests: XCTestCase {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "timesheet-\(UUID())")

  override func setUp() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try FileManager.default.removeItem(at: folder) }

  private func tool(_ server: TimesheetServer) -> TimesheetTool {
    TimesheetTool(journal: folder.appending(path: "hours")) { try await server.put($0, $1) }
  }

  func testRequestsWaitForTheServerAndTheNewestIsSent() async throws {
    let server = TimesheetServer()
    var tool = tool(server)
    tool.patience = .zero
    for day in ["Monday", "Tuesday"] {
      let result = await tool.run("add", day, "7")
      XCTAssertEqual(result.status, 75)
      XCTAssertEqual(result.output.last, "\(day) 7.0 waits")
    }
    await server.open()
    tool.patience = .seconds(60)
    let monday = await tool.run("add", "Monday", "8")
    XCTAssertEqual(monday.status, 0)
    XCTAssertEqual(monday.output, [])
    let received = await server.received
    XCTAssertEqual(received.last { $0.hasPrefix("Monday") }, "Monday 8.0")
    XCTAssertEqual(received.filter { $0 == "Tuesday 7.0" }.count, 1)
    XCTAssertFalse(FileManager.default.fileExists(atPath: tool.journal.path), "nothing is left to send")
  }

  func testRefusedHoursAreShownUntilTheyAreCorrectedOrDropped() async throws {
    let server = TimesheetServer()
    let tool = tool(server)
    await server.open()
    let refused = await tool.run("add", "Monday", "80")
    XCTAssertEqual(refused.status, 65)
    XCTAssertTrue(refused.output.first?.hasSuffix("Monday: a day has 24 hours") == true, "\(refused.output)")
    let again = await tool.run("sync")
    XCTAssertEqual(again.output, refused.output)

    let corrected = await tool.run("add", "Monday", "8")
    XCTAssertEqual(corrected.status, 0, "the correction replaces the refused hours")

    let other = await tool.run("add", "Tuesday", "70")
    let id = other.output.first.map { String($0.prefix { $0 != " " }) } ?? ""
    let dropped = await tool.run("drop", id)
    XCTAssertEqual(dropped.output, ["dropped Tuesday"])
    let end = await tool.run("sync")
    XCTAssertEqual(end.status, 0)
    let received = await server.received
    XCTAssertEqual(received, ["Monday 8.0"])
  }

  func testErrorsAreReportedByTheirReason() async throws {
    let server = TimesheetServer()
    var tool = tool(server)
    let running = try await Outbox<Hours>(journal: tool.journal) { _ in .done }
    let second = await tool.run("sync")
    XCTAssertEqual(second.output, ["hours is already running"])
    await running.close()

    tool.journal = folder.appending(path: "missing/hours")
    let lost = await tool.run("sync")
    XCTAssertEqual(lost.status, 74)
    XCTAssertTrue(lost.output[0].contains("there is no such folder"), lost.output[0])
    let usage = await self.tool(server).run("add", "Monday")
    XCTAssertEqual(usage.status, 64)
  }
}
