import PendingChanges
import XCTest

/// Keys that do not equal themselves, as a number that is NaN: what was accepted is not lost for that.
final class PendingChangeQueueOddKeyTests: XCTestCase {
  private struct Level: PendingChange, Equatable {
    var key: Double
    var text: String
  }

  private var queue = PendingChangeQueue<Level>()

  func testADeadLetterOfANumberThatIsNoneIsFoundAgain() throws {
    let id = queue.insert(Level(key: .nan, text: "a")).id
    queue.insert(Level(key: .nan, text: "b"))
    XCTAssertEqual(queue.begin()?.id, id)
    queue.fail(id, retry: .never, reason: "no room")
    XCTAssertEqual(queue.status(of: id), .deadLetter)
    XCTAssertEqual(queue.deadLetters.map(\.change.text), ["a"])
    XCTAssertEqual(queue[id]?.failureReason, "no room")
    XCTAssertTrue(queue.requeue(id))
    XCTAssertEqual(queue.waiting.map(\.change.text), ["b", "a"])
    XCTAssertEqual(queue.drain().count, 2)
  }

  func testTheReasonOfAFailureIsKept() throws {
    let id = queue.insert(Level(key: .nan, text: "a")).id
    _ = queue.begin()
    queue.fail(id, retry: .always, reason: "no room")
    XCTAssertEqual(queue.next?.failureReason, "no room")
    _ = queue.begin()
    queue.complete(id)
    XCTAssertTrue(queue.isEmpty)
  }

  func testOddKeysAmongOthersKeepWhatIsTheirs() {
    for number in 0..<200 {
      queue.insert(Level(key: number.isMultiple(of: 3) ? .nan : Double(number), text: "\(number)"))
    }
    while let entry = queue.begin() { queue.fail(entry.id, retry: .never, reason: entry.change.text) }
    XCTAssertEqual(queue.deadLetters.map(\.failureReason), (0..<200).map { "\($0)" })
    for letter in queue.deadLetters where letter.id.rawValue.isMultiple(of: 2) {
      XCTAssertEqual(queue.remove(id: letter.id)?.change.text, letter.change.text)
    }
    XCTAssertEqual(queue.deadLetterCount, 100)
    for letter in queue.deadLetters { XCTAssertTrue(queue.requeue(letter.id)) }
    while let entry = queue.begin() { queue.complete(entry.id) }
    XCTAssertTrue(queue.isEmpty)
  }
}
