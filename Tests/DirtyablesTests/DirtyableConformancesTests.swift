import Dirtyables
import Foundation
import TestSupport
import XCTest

final class DirtyableConformancesTests: XCTestCase {
  private func edited(_ body: (inout Dirtyable<Document>) -> Void) -> Dirtyable<Document> {
    var document = Dirtyable(Document())
    body(&document)
    return document
  }

  func testEqualityComparesOriginalCurrentAndSaves() {
    var random = SeededRandom(seed: 1)
    let saving = edited {
      $0.count = 1
      _ = $0.beginSave(id: .init(rawValue: random.next()))
    }
    checkHashable(equivalenceClasses: [
      [
        Dirtyable(Document()), edited { $0.count = 0 },
        edited {
          $0.count = 1
          $0.rollback()
        },
      ],
      [edited { $0.count = 1 }, Dirtyable(original: Document(), current: Document(count: 1))],
      [
        Dirtyable(Document(count: 1)),
        edited {
          $0.count = 1; $0.commit()
        },
      ],
      [edited { $0.count = 2 }],
      [saving, saving],
      [
        edited {
          $0.count = 1; _ = $0.beginSave(id: .init(rawValue: random.next()))
        }
      ],
    ])
  }

  func testSavesAreComparedByIdentityAndValue() {
    var random = SeededRandom(seed: 1)
    var document = Dirtyable(Document())
    let first = document.beginSave(id: .init(rawValue: random.next()))
    let second = document.beginSave(id: .init(rawValue: random.next()))
    checkHashable(equivalenceClasses: [[first, first], [second]])
    checkHashable(equivalenceClasses: [[first.id], [second.id]])
    XCTAssertEqual("\(first)", "Save(\(first.value))")

    document.title = "One"
    document.commit(\.title)
    XCTAssertEqual(document.savesInFlight.map(\.id), [first.id, second.id])
    XCTAssertNotEqual(document.savesInFlight, [first, second], "a member was committed since")
  }

  func testDirtyableIsEncodedAndDecoded() throws {
    try checkCodable(Dirtyable(Document()))
    let decoded = try checkCodable(edited { $0.title = "One" })
    XCTAssertTrue(decoded.isDirty)
    XCTAssertEqual(decoded.original, Document())
    try checkCodable(Dirtyable<String?>(original: "Ada", current: nil))
    try checkCodable(Dirtyable<String?>(original: nil, current: nil))
    XCTAssertTrue(try checkCodable(Dirtyable<String?>(original: nil, current: nil)).isTouched)
    XCTAssertFalse(try checkCodable(Dirtyable<String?>(nil)).isTouched)
  }

  func testEncodedFormHasOriginalAndUpdated() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func json(_ value: Dirtyable<Int>) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }
    XCTAssertEqual(try json(Dirtyable(1)), #"{"original":1}"#)
    XCTAssertEqual(try json(Dirtyable(original: 1, current: 2)), #"{"original":1,"updated":2}"#)
  }

  func testEditsOfASaveInFlightAreDirtyAfterDecoding() throws {
    var document = Dirtyable(Document())
    document.count = 1
    let save = document.beginSave()
    var decoded = try JSONDecoder().decode(Dirtyable<Document>.self, from: JSONEncoder().encode(document))
    XCTAssertTrue(decoded.isDirty)
    XCTAssertFalse(decoded.isSaving)
    XCTAssertTrue(decoded.needsSave)
    XCTAssertFalse(decoded.finishSave(save))

    var clean = Dirtyable(Document())
    _ = clean.beginSave()
    decoded = try JSONDecoder().decode(Dirtyable<Document>.self, from: JSONEncoder().encode(clean))
    XCTAssertFalse(decoded.isTouched)
  }

  func testBrokenInputThrowsADecodingError() {
    expectDecodingError(Dirtyable<Int>.self, from: "{}", mentioning: "original")
    expectDecodingError(Dirtyable<Int>.self, from: #"{"updated":1}"#, mentioning: "original")
    expectDecodingError(Dirtyable<Int>.self, from: #"{"original":null}"#)
    expectDecodingError(Dirtyable<Int>.self, from: #"{"original":1,"updated":null}"#, mentioning: "updated")
    expectDecodingError(Dirtyable<Int>.self, from: #"{"original":"one"}"#)
    expectDecodingError(Dirtyable<Int>.self, from: #"{"original":1,"updated":[]}"#, mentioning: "updated")
    expectDecodingError(Dirtyable<Int>.self, from: "[1, 2]")
    expectDecodingError(Dirtyable<Int>.self, from: "1")
  }

  func testDescriptionShowsBothValuesAndTheSavesInFlight() {
    var number = Dirtyable(1)
    XCTAssertEqual("\(number)", "Dirtyable(1)")
    number.current = 2
    XCTAssertEqual("\(number)", "Dirtyable(1 → 2)")
    for id in [7, 8] as [UInt64] { _ = number.beginSave(id: .init(rawValue: id)) }
    XCTAssertEqual("\(number)", "Dirtyable(1 → 2, saves in flight: [7, 8])")
    number.commit()
    XCTAssertEqual("\(number)", "Dirtyable(2)")
  }

  func testMemberNamedDescriptionIsReadFromTheModel() {
    struct Product: CustomStringConvertible { var description = "A teapot" }
    var product = Dirtyable(Product())
    product.description += "s"
    XCTAssertEqual(product.description, "A teapots")
    XCTAssertEqual("\(product)", "Dirtyable(A teapot → A teapots)")
  }

  func testDirtyableHasTheIdentityOfItsValue() {
    struct Row: Identifiable { var id: Int; var title = "" }
    func identity<Element: Identifiable>(of element: Element) -> Element.ID { element.id }
    var row = Dirtyable(Row(id: 7))
    XCTAssertEqual(identity(of: row), 7)
    row.current.id = 8
    XCTAssertEqual(row.id, 8)
    XCTAssertEqual(row.original.id, 7)
  }

  func testMirrorShowsOriginalCurrentAndSaves() {
    var number = Dirtyable(1)
    number.current = 2
    let save = number.beginSave()
    number.current = 3
    let children = Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: number).children.map { ($0.label ?? "", $0.value) })
    XCTAssertEqual(children["original"] as? Int, 1)
    XCTAssertEqual(children["savesInFlight"] as? [Dirtyable<Int>.Save], [save])
    XCTAssertEqual(children["current"] as? Int, 3)
  }

  func testDirtyableIsSendableIfItsValueIs() {
    func require<Value: Sendable>(_: Value) {}
    var document = Dirtyable(Document())
    require(document)
    require(document.beginSave())
    require(document.rebase(onto: Document()))
    require(Dirtyable<Document>.Fields(\.title))
  }
}
