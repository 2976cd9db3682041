import Foundation
import FoundationLeaves
import UndoArchives
import UndoHistories
import XCTest

final class FoundationLeavesTests: XCTestCase {
  private struct Stay: Equatable {
    var arrival = Date(timeIntervalSinceReferenceDate: 0)
    var departure: Date?
    var id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    var page = URL(string: "https://example.com/a")!
    var photo: URL?
    var price = Decimal(15) / 10
    var season = Date(timeIntervalSinceReferenceDate: 0)..<Date(timeIntervalSinceReferenceDate: 9)
    var prices: ClosedRange<Decimal> = 1...2
    var photos: [URL] = []
    var notes: [UUID: Date] = [:]
    var scan = Data([1, 2, 3])
  }

  /// Makes an edit, and checks that it is one step, that undo and redo are exact, and that repeating it records no
  /// step.
  private func check(_ label: String, _ edit: (inout UndoHistory<Stay>.Editor) -> Void, line: UInt = #line) {
    var history = UndoHistory(initialValue: Stay())
    history.transaction { edit(&$0) }
    let edited = history.currentItem
    XCTAssertNotEqual(edited, Stay(), label, line: line)
    XCTAssertEqual(history.undoCount, 1, label, line: line)
    history.undo()
    XCTAssertEqual(history.currentItem, Stay(), label, line: line)
    history.redo()
    XCTAssertEqual(history.currentItem, edited, label, line: line)
    history.transaction { edit(&$0) }
    XCTAssertEqual(history.undoCount, 1, "\(label), assigned again", line: line)
  }

  func testAssignedValuesAreRecordedAndUndone() {
    let later = Date(timeIntervalSinceReferenceDate: 1_000)
    check("date") { $0.arrival = later }
    check("optional date") { $0.departure = later }
    check("identifier") { $0.id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) }
    check("URL") { $0.page = URL(string: "https://example.com/b")! }
    check("optional URL") { $0.photo = URL(string: "https://example.com/b")! }
    check("decimal") { $0.price = Decimal(string: "99.99")! }
    check("range of dates") { $0.season = later..<later + 1 }
    check("closed range of decimals") { $0.prices = 1...(Decimal(3) / 2) }
    check("key of a dictionary") { $0.notes[UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))] = later }
  }

  func testValuesSetByACursorAreRecordedAndUndone() {
    let later = Date(timeIntervalSinceReferenceDate: 1_000)
    check("date") { $0.arrival.set(later) }
    check("optional date") { $0.departure.set(later) }
    check("URL") { $0.page.set(URL(string: "https://example.com/b")!) }
    check("decimal") { $0.price.set(Decimal(string: "99.99")!) }
    check("data") { $0.scan.set(Data([1, 5, 3])) }
  }

  /// Elements are compared by their stored contents, and each URL has memory of its own.
  func testSettingAnEqualArrayOfURLsRecordsNoStep() {
    let photos = [URL(string: "https://example.com/b")!]
    var history = UndoHistory(initialValue: Stay())
    history.edit.photos.set(photos)
    history.edit.photos.set(photos)
    XCTAssertEqual(history.undoCount, 1)
    history.undo()
    XCTAssertEqual(history.currentItem, Stay())
  }

  func testLeafCanBeChangedInPlace() {
    var history = UndoHistory(initialValue: Stay())
    history.edit.arrival += 60
    history.edit.price *= 2
    history.edit.page.append(path: "b")
    XCTAssertEqual(history.arrival.timeIntervalSinceReferenceDate, 60)
    XCTAssertEqual(history.price, 3)
    XCTAssertEqual(history.page.absoluteString, "https://example.com/a/b")
    XCTAssertEqual(history.undoCount, 3)
    while history.undo() != nil {}
    XCTAssertEqual(history.currentItem, Stay())
  }

  func testLeavesInAnArrayAreRecordedAndUndone() {
    var history = UndoHistory(initialValue: Stay())
    history.edit.photos.append(URL(string: "https://example.com/b")!)
    history.edit.photos[0] = URL(string: "https://example.com/c")!
    history.edit.photos[0] = URL(string: "https://example.com/c")!
    XCTAssertEqual(history.undoCount, 2)
    history.undo()
    XCTAssertEqual(history.photos.map(\.lastPathComponent), ["b"])
    history.undo()
    XCTAssertEqual(history.currentItem, Stay())
  }

  /// An append is recorded in a few bytes, without the old data.
  func testDataIsEditedAsACollection() {
    var history = UndoHistory(initialValue: Data(repeating: 7, count: 100_000))
    history.edit.append(1)
    history.edit[5] = 9
    XCTAssertLessThan(history.byteCount, 200)
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(history.currentItem.last, 1)
    while history.undo() != nil {}
    XCTAssertEqual(history.currentItem, Data(repeating: 7, count: 100_000))
    XCTAssertFalse((Data.self as Any.Type) is any UndoLeaf.Type)
  }

  func testStepsOfDatesAndIdentifiersAreSmall() {
    var history = UndoHistory(initialValue: Stay())
    history.edit.arrival += 60
    XCTAssertEqual(history.byteCount, 16)
    history.edit.id = UUID()
    XCTAssertEqual(history.byteCount, 16 + 24)
  }

  // MARK: Sameness

  func testURLsAreTheSameIfTheirTextAndBaseAre() throws {
    func url(_ text: String, relativeTo base: String? = nil) throws -> URL {
      try XCTUnwrap(URL(string: text, relativeTo: base.flatMap { URL(string: $0) }))
    }
    XCTAssertTrue(URL.isSame(try url("https://example.com/a"), try url("https://example.com/a")))
    XCTAssertFalse(URL.isSame(try url("https://example.com/a"), try url("https://example.com/b")))
    XCTAssertFalse(URL.isSame(try url("https://example.com/a"), try url("https://example.com/a/")))
    let (relative, absolute) = (try url("a", relativeTo: "https://example.com"), try url("https://example.com/a"))
    XCTAssertFalse(URL.isSame(relative, absolute), "the relative URL is shown as its path")
    XCTAssertTrue(URL.isSame(relative, try url("a", relativeTo: "https://example.com")))
    XCTAssertFalse(URL.isSame(relative, try url("a", relativeTo: "https://example.org")))
  }

  func testDecimalsWithDifferentExponentsAreNotTheSame() {
    let (short, long) = (
      Decimal(sign: .plus, exponent: -1, significand: 15), Decimal(sign: .plus, exponent: -2, significand: 150)
    )
    XCTAssertEqual(short, long)
    XCTAssertEqual(Decimal.isSame(short, long), short.exponent == long.exponent)
    XCTAssertTrue(Decimal.isSame(short, Decimal(sign: .plus, exponent: -1, significand: 15)))
    XCTAssertFalse(Decimal.isSame(short, -short))
    XCTAssertTrue(Decimal.isSame(.nan, .nan))
    XCTAssertFalse(Decimal.isSame(.nan, 0))
    XCTAssertFalse(Decimal.isSame(0, .nan))
  }

  func testDatesAreComparedBitByBit() {
    let zero = Date(timeIntervalSinceReferenceDate: 0)
    XCTAssertTrue(Date.isSame(zero, Date(timeIntervalSinceReferenceDate: 0)))
    XCTAssertFalse(Date.isSame(zero, Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude)))
    let unknown = Date(timeIntervalSinceReferenceDate: .nan)
    XCTAssertTrue(Date.isSame(unknown, unknown))
    XCTAssertTrue(Date?.isSame(nil, nil))
    XCTAssertFalse(Date?.isSame(nil, zero))
  }

  // MARK: Archives

  private struct Booking: Codable, Equatable, UndoArchivable {
    var arrival = Date(timeIntervalSinceReferenceDate: 0)
    var departure: Date?
    var id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    var page: URL?
    var price = Decimal(15) / 10
    var scan = Data([1, 2, 3])

    static let undoParts = [
      UndoPart<Booking>("arrival", \.arrival), UndoPart("departure", \.departure), UndoPart("id", \.id),
      UndoPart("page", \.page), UndoPart("price", \.price), UndoPart("scan", \.scan),
    ]
  }

  func testStepsOfLeavesCanBeArchived() throws {
    var history = UndoHistory(initialValue: Booking())
    var states = [history.currentItem]
    func edit(_ change: (inout UndoHistory<Booking>.Editor) -> Void) {
      history.transaction { change(&$0) }
      states.append(history.currentItem)
    }
    edit { $0.arrival += 0.1 }
    edit { $0.departure = Date(timeIntervalSinceReferenceDate: 700_000_000.123) }
    edit { $0.id = UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)) }
    edit { $0.page = URL(string: "https://example.com/a?b=c#d") }
    edit { $0.price = Decimal(string: "12345678901234567.89")! }
    edit { $0.scan.append(4) }
    edit { $0.page = nil }

    let file = try JSONEncoder().encode(history.archive())
    let archive = try JSONDecoder().decode(UndoHistory<Booking>.Archive.self, from: file)
    var restored = UndoHistory(initialValue: history.currentItem)
    try restored.restoreSteps(from: archive)
    XCTAssertEqual(restored.undoCount, 7)
    for state in states.reversed() {
      XCTAssertEqual(restored.currentItem, state)
      restored.undo()
    }
    for state in states {
      XCTAssertEqual(restored.currentItem, state)
      restored.redo()
    }
  }

  /// Each decoded URL has an object of its own, which must not count as a change by the store.
  func testDecodedEqualURLIsNotAChange() throws {
    struct Links: Codable, Equatable {
      var title = "t", link = URL(string: "https://example.org/a")!
      var home = URL(string: "https://example.org")
    }
    let saved = Links()
    var history = UndoHistory(initialValue: saved)
    history.markSaved()
    history.edit.link = URL(string: "https://example.org/mine")!
    history.currentItem.home = nil
    let mine = history.currentItem
    var theirs = try JSONDecoder().decode(Links.self, from: JSONEncoder().encode(saved))
    theirs.title = "theirs"
    let both = Links(title: "theirs", link: mine.link, home: nil)
    XCTAssertEqual(UndoHistory.merged(mine, theirs, base: saved), both)
    history.rebase(onto: theirs)
    XCTAssertEqual(history.currentItem, both)
    while history.undo() != nil {}
    XCTAssertEqual(history.currentItem, theirs)
  }

  func testCoordinateOfARectangleIsRecordedAlone() {
    struct Shape: Equatable { var name = "", frame = CGRect(x: 0, y: 0, width: 10, height: 10), opacity: CGFloat? }
    var history = UndoHistory(initialValue: Shape())
    let dx: CGFloat = 2.5
    history.edit.frame.origin.x += dx
    XCTAssertEqual(history.byteCount, 16, "a header and eight bytes")
    history.edit.opacity = 0.5
    history.edit.frame.set(CGRect(x: 1, y: 1, width: 1, height: 1))
    XCTAssertEqual(history.undoCount, 3)
    history.undo()
    XCTAssertEqual(history.currentItem, Shape(frame: CGRect(x: dx, y: 0, width: 10, height: 10), opacity: 0.5))
    history.undo()
    history.undo()
    XCTAssertEqual(history.currentItem, Shape())
  }

  func testDatesUUIDsAndDurationsInOptionalsAndArraysAreLeaves() {
    struct Log: Equatable {
      var ends: Date?, ids = [UUID()], pauses: [Duration] = [.zero], last: Duration?
      var days: [Date?] = [nil], id: UUID?
    }
    let log = Log()
    var history = UndoHistory(initialValue: log)
    history.edit.ends = Date(timeIntervalSinceReferenceDate: 5)
    history.edit.ids[0] = UUID()
    history.edit.pauses[0] += .seconds(1)
    history.edit.last = .seconds(2)
    history.edit.days[0] = Date(timeIntervalSinceReferenceDate: 6)
    history.edit.id = UUID()
    XCTAssertEqual(history.undoCount, 6)
    XCTAssertLessThan(history.byteCount, 300)
    history.go(to: .step(0))
    XCTAssertEqual(history.currentItem, log)
  }
}
