import Foundation
import UndoHistories
import XCTest

/// Padding and unused words of a value aren't content: a part that wasn't assigned isn't edited, whatever copying left
/// in its padding.
final class UndoHistoryPaddingTests: XCTestCase {
  /// Checks that typing in a sheet, and in one of its rows, doesn't edit the part beside the text.
  ///
  /// - Parameter other: The value that another program assigns to the part in the meantime, and that must stay; nil if
  ///   an assignment of the part, such as an object, is recorded together with the values around it.
  private func check<Part>(_ part: Part, _ other: Part?, line: UInt = #line) {
    scribble()
    let new = Sheet(part: part, rows: (0..<3).map { Row(id: $0, part: part) })
    checkTyping(new, part: \.part, text: \.title, other, line: line)
    for row in 1..<3 { checkTyping(new, part: \.rows[row].part, text: \.rows[0].title, other, line: line) }
  }

  private func checkTyping<Part>(
    _ new: Sheet<Part>, part: WritableKeyPath<Sheet<Part>, Part>, text: WritableKeyPath<Sheet<Part>, String>,
    _ other: Part?, line: UInt
  ) {
    let name = "\(Part.self)"
    var history = UndoHistory(initialValue: new)
    for count in 1...3 {
      scribble()
      history.currentItem[keyPath: text] = String("Fri".prefix(count))
    }
    XCTAssertEqual(history.undoCount, 1, name, line: line)
    XCTAssertLessThanOrEqual(history.byteCount, 40, name, line: line)
    if text == \.title { XCTAssertFalse(history.touches(part, since: .savedPoint), name, line: line) }
    guard let other else { return }
    var theirs = new
    theirs[keyPath: part] = other
    history.rebase(onto: theirs)
    XCTAssertEqual("\(history.currentItem[keyPath: part])", "\(other)", "\(name) rebased", line: line)
    history.undo()
    XCTAssertEqual(history.currentItem[keyPath: text], "", line: line)
    XCTAssertEqual("\(history.currentItem[keyPath: part])", "\(other)", "\(name) rebased, undone", line: line)

    history = UndoHistory(initialValue: new)
    history.currentItem[keyPath: text] = "F"
    scribble()
    history.applyRemote(changed(history.currentItem, part, other))
    XCTAssertTrue(history.canUndo, "\(name) remoteEdits", line: line)
    history.undo()
    XCTAssertEqual(history.currentItem[keyPath: text], "", "\(name) remoteEdits", line: line)
    XCTAssertEqual("\(history.currentItem[keyPath: part])", "\(other)", "\(name) remoteEdits", line: line)
  }

  private func changed<Part>(
    _ sheet: Sheet<Part>, _ part: WritableKeyPath<Sheet<Part>, Part>, _ other: Part
  ) -> Sheet<Part> {
    var sheet = sheet
    sheet[keyPath: part] = other
    return sheet
  }

  /// Fills free memory with random bytes, so that padding that is never written differs.
  private func scribble() {
    let byte = UInt8.random(in: 1...255)
    var blocks: [[UInt8]] = []
    for size in stride(from: 16, through: 1024, by: 16) {
      for _ in 0..<4 { blocks.append([UInt8](repeating: byte, count: size)) }
    }
  }

  func testTypingDoesNotEditStandardTypesBesideIt() {
    check(true, false)
    check(Int8(1), 2)
    check(1.5, 2.5)
    check(UInt64.max, 2)
    check("text that is too long to be kept inline", "another text that is too long to be kept inline")
    check("a text that is too long"[...], "another text"[...])
    check(Character("a"), "b")
    check(1..<3, 2..<5)
    check(1.0...3, 2...5)
    check(Duration.seconds(1), .seconds(2))
    check([1, 2], [3])
    check([1, 2][...], [3, 4][...])
    check(ContiguousArray([1, 2]), [3])
    check([Int8?.some(1): "a"], [Int8?.some(2): "b"])
    check(["a"] as Set, ["b"])
    check((Int8(1), "a", 2), (Int8(2), "b", 3))
    check(Result<String, Failure>.success("a"), .failure(Failure(isFatal: true, code: 3)))
    check(Int?.some(1), .some(nil))
    check(Int8??.some(nil), 3)
    check(Payload.number(1, 2), .text("b"))
    check(Indirect.leaf, .node(.leaf, 1))
    check(CollectionOfOne(1), CollectionOfOne(2))
    check("a".utf8, "b".utf8)
    check(Unicode.Scalar("a"), "b")
    check(OneWay(small: 1, large: 2), OneWay(small: 3, large: 2))
  }

  func testTypingDoesNotEditExistentialsBesideIt() {
    check(Dot() as any Drawable, Dot(n: 2))
    check(Wide() as any Drawable, Wide(n: 2))
    check(Square() as any Drawable, nil)
    check(Dot() as (any Drawable)?, Wide())
    check(1 as Any, 2)
    check("a" as Any, Dot())
    check(Wide() as Any, Dot())
    check(1 as Any?, 2)
    check(1 as AnyHashable, 2)
    check("a text that is too long to be kept inline" as AnyHashable, "b")
    check("a" as AnyHashable?, .some(nil))
    check(["a": 1 as Any], ["a": 2])
    check([Dot() as any Drawable], [Wide()])
    check(Failure(isFatal: false, code: 1) as any Error, Failure(isFatal: true, code: 2))
    check(1 as any Hashable & Sendable, "a")
    check(Int.self as Any.Type, nil)
    check(Boxed(part: Dot() as any Drawable), Boxed(part: Wide()))
    check(Payload.any(1), .any(2))
  }

  func testTypingDoesNotEditTypesWithCustomMirrorsBesideIt() {
    check(Secret(short: 1, long: 2, text: "a"), Secret(short: 2, long: nil, text: "b"))
    check(Secret(short: nil, long: nil, text: nil), Secret(short: 2, long: nil, text: "b"))
    check(Secret(short: 1, long: 2, text: "a") as Secret?, .some(nil))
    check([Secret(short: 1, long: 2, text: "a")], [])
  }

  func testTypingDoesNotEditFoundationTypesBesideIt() throws {
    let (date, later) = (Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 9_000_000))
    let url = try XCTUnwrap(URL(string: "https://example.com/a"))
    let other = try XCTUnwrap(URL(string: "https://example.com/b"))
    let components = DateComponents(calendar: Calendar(identifier: .gregorian), year: 2026, month: 3)
    check(date, later)
    check(UUID(), UUID())
    check(Decimal(1), Decimal(2))
    check(Data([1, 2]), Data(repeating: 1, count: 100))
    check(url, other)
    check(url as URL?, .some(nil))
    check(components, DateComponents(year: 2027))
    check(components as DateComponents?, .some(nil))
    check([components], [DateComponents(year: 2027)])
    check(try XCTUnwrap(URLComponents(string: "https://a/b?c=d")), try XCTUnwrap(URLComponents(string: "https://b")))
    check(URLComponents(string: "https://a/b?c=d"), .some(nil))
    check(URLQueryItem(name: "a", value: "b"), URLQueryItem(name: "a", value: nil))
    check(Calendar(identifier: .gregorian), Calendar(identifier: .buddhist))
    check(try XCTUnwrap(TimeZone(identifier: "Europe/Paris")), try XCTUnwrap(TimeZone(identifier: "GMT")))
    check(Locale(identifier: "de_DE"), Locale(identifier: "en_GB"))
    check(Locale.Language(identifier: "de"), Locale.Language(identifier: "en"))
    check(IndexSet([1, 2, 5]), IndexSet([9]))
    check(IndexPath(indexes: [1, 2]), IndexPath(indexes: [1, 2, 3, 4]))
    check(CharacterSet(charactersIn: "ab"), CharacterSet(charactersIn: "cd"))
    check(AttributedString("a"), AttributedString("b"))
    check(AttributeContainer(), AttributeContainer().link(url))
    check(DateInterval(start: date, end: later), DateInterval(start: date, duration: 3))
    check(Measurement(value: 1, unit: UnitLength.meters), Measurement(value: 2, unit: UnitLength.meters))
    check(PersonNameComponents(givenName: "a", familyName: "b"), PersonNameComponents(givenName: "c"))
    check(Notification(name: .init("a")), Notification(name: .init("b"), userInfo: ["a": 1]))
    check(NSRange(location: 1, length: 2), NSRange(location: 3, length: 4))
    check(CGRect(x: 1, y: 2, width: 3, height: 4), .zero)
    check(AffineTransform(translationByX: 1, byY: 2), AffineTransform(scale: 3))
    check(OperatingSystemVersion(majorVersion: 1, minorVersion: 2, patchVersion: 3), .init())
    check(Date.FormatStyle.dateTime, Date.FormatStyle.dateTime.year())
    check(Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    check(FloatingPointFormatStyle<Double>(), FloatingPointFormatStyle<Double>().grouping(.never))
    check(URLError(.badURL), URLError(.cancelled))
    check(CocoaError(.fileNoSuchFile), CocoaError(.fileReadUnknown))
    check(SortDescriptor(\Row<Int>.id), SortDescriptor(\Row<Int>.id, order: .reverse))
    unsafe check(broken(hour: 1), broken(hour: 2))
    check(timespec(tv_sec: 1, tv_nsec: 2), timespec(tv_sec: 2, tv_nsec: 2))
  }

  /// A C structure, which has four bytes of padding.
  private func broken(hour: CInt) -> tm {
    var time = unsafe tm()
    unsafe time.tm_hour = hour
    return unsafe time
  }

  // MARK: Lazy properties

  func testReadingALazyPropertyRecordsNoStep() {
    struct Page { var text = ""; lazy var title = "computed"; var number = 1 }
    var history = UndoHistory(initialValue: Page())
    history.edit.text.append("a")
    history.undo()
    XCTAssertEqual(history.currentItem.title, "computed")
    XCTAssertEqual([history.undoCount, history.redoCount], [0, 1])
    XCTAssertFalse(history.isDirty)
    history.currentItem.title = "mine"
    XCTAssertEqual(history.undoCount, 1)
    history.undo()
    XCTAssertEqual(history.currentItem.title, "computed")
    XCTAssertEqual(history.undoCount, 0)

    var rows = UndoHistory(initialValue: [Page(), Page()])
    XCTAssertEqual(rows.currentItem[1].title, "computed")
    XCTAssertEqual(rows.undoCount, 0)
    rows.currentItem[0].text = "a"
    XCTAssertEqual(rows.undo()?.edits.map(\.kind), [.elements(.element(at: 0))])
  }

  /// The cached value of a lazy property may be lost if the document is assigned, but a value that was set may not.
  func testUndoRestoresAnAssignedLazyProperty() {
    struct Page { var text = ""; lazy var title = "computed" }
    var history = UndoHistory(initialValue: Page())
    history.currentItem.title = "first"
    history.currentItem.title = "mine"
    history.currentItem = Page()
    XCTAssertEqual(history.undoCount, 2)
    history.undo()
    XCTAssertEqual(history.currentItem.title, "mine")
  }

  // MARK: Documents of concrete types

  func testTypingDoesNotEditDateComponentsBesideIt() {
    struct Task { var title = "", due = DateComponents(year: 2026) }
    scribble()
    var history = UndoHistory(initialValue: Task())
    history.currentItem.title = "F"
    history.currentItem.title = "Fr"
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.byteCount, 32)
    XCTAssertFalse(history.touches(\.due, since: .savedPoint))
    history.rebase(onto: Task(title: "", due: DateComponents(year: 2027)))
    XCTAssertEqual(history.due.year, 2027)

    var remoteEdit = UndoHistory(initialValue: Task())
    remoteEdit.currentItem.title = "mine"
    remoteEdit.applyRemote { $0.due.set(DateComponents(year: 2027)) }
    XCTAssertTrue(remoteEdit.canUndo)
  }

  func testTypingBesideAnExistentialIsOneSmallStep() {
    struct Sketch { var title = "", shape: any Drawable = Dot() }
    scribble()
    var history = UndoHistory(initialValue: Sketch())
    for count in 1...6 { history.currentItem.title = String("Friday".prefix(count)) }
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.byteCount, 32)
  }

  func testEditingARowWithPaddingRecordsOnlyThatRow() {
    let rows = (0..<20).map { Row(id: $0, part: DateComponents(year: $0)) }
    scribble()
    var history = UndoHistory(initialValue: rows)
    history.currentItem[3].title = "a"
    XCTAssertEqual(history.undo()?.edits.map(\.kind), [.elements(.element(at: 3))])
    var equal = UndoHistory(initialValue: rows.map { EqualRow(id: $0.id, part: $0.part) })
    equal.currentItem[3].title = "a"
    XCTAssertEqual(equal.undo()?.edits.map(\.kind), [.elements(.element(at: 3))])
  }

  func testAssigningAnEqualValueWithOtherPaddingRecordsNoStep() {
    func expectNoStep<Part>(_ part: () -> Part, line: UInt = #line) {
      scribble()
      var history = UndoHistory(initialValue: Sheet(part: part(), rows: [Row(id: 1, part: part())]))
      scribble()
      history.currentItem.part = part()
      scribble()
      history.edit.part.set(part())
      history.edit.rows[0].part.set(part())
      history.currentItem.rows[0].part = part()
      XCTAssertEqual(history.undoCount, 0, "\(Part.self)", line: line)
    }
    expectNoStep { DateComponents(year: 2026) }
    expectNoStep { Optional(DateComponents(year: 2026)) }
    expectNoStep { Dot() as any Drawable }
    expectNoStep { "a" as Any }
    expectNoStep { 3 as AnyHashable }
    expectNoStep { OneWay(small: 1, large: 2) }
    expectNoStep { Secret(short: 1, long: 2, text: "a") }
    expectNoStep { Payload.number(1, 2) }
  }
}

private struct Sheet<Part> {
  var title = ""
  var isDone = true
  var part: Part
  var small: Int8 = 1
  var rows: [Row<Part>]
}

private struct Row<Part> {
  var isDone = false
  var id: Int
  var title = ""
  var part: Part
}

private struct EqualRow: Equatable {
  var isDone = false
  var id: Int
  var title = ""
  var part: DateComponents
}

private protocol Drawable { var n: Int { get } }
private struct Dot: Drawable, Hashable { var n = 1 }
private struct Wide: Drawable { var n = 1, a = 2, b = Int8(3), text = "text" }
private final class Square: Drawable, CustomStringConvertible {
  let n = 1
  var description: String { "a square" }
}

private struct Boxed<Part> { var part: Part }
private struct Failure: Error, Equatable { var isFatal: Bool, code: Int }
private struct OneWay: Equatable { var small: Int8, large: Int }

private enum Payload {
  case number(Int8, Int)
  case text(String)
  case any(Any)
}

private enum Indirect {
  case leaf
  indirect case node(Indirect, Int8)
}

private struct Secret: CustomReflectable {
  var short: Int8?
  var long: Int?
  var text: String?
  var customMirror: Mirror { Mirror(self, children: []) }
}
