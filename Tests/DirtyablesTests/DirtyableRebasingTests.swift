import Dirtyables
import TestSupport
import XCTest

final class DirtyableRebasingTests: XCTestCase {
  private typealias Fields = Dirtyable<Document>.Fields

  func testMemberChangedOnBothSidesConflictsAndKeepsMine() {
    var document = Dirtyable(Document())
    document.title = "Mine"
    document.count = 1
    let conflicts = document.rebase(onto: Document(title: "Theirs", count: 2), merging: .init(\.count, \.title))
    XCTAssertEqual(conflicts.keyPaths, [\.count, \.title])
    XCTAssertEqual(conflicts[\.title]?.base, "Draft")
    XCTAssertEqual(conflicts[\.title]?.mine, "Mine")
    XCTAssertEqual(conflicts[\.title]?.theirs, "Theirs")
    XCTAssertNil(conflicts[\.items])
    XCTAssertNil(conflicts[\.self])
    XCTAssertEqual(document.current, Document(title: "Mine", count: 1))
    XCTAssertEqual(document.original, Document(title: "Theirs", count: 2))
    XCTAssertTrue(document.isDirty(\.title))

    document.rollback(\.title)
    XCTAssertEqual(document.title, "Theirs", "rollback takes theirs")
  }

  /// An untouched value is not compared, so NaN does not conflict with itself.
  func testUntouchedNaNFollowsTheNewOriginal() {
    var number = Dirtyable(Double.nan)
    XCTAssertFalse(number.isDirty)
    var saving = number
    _ = saving.beginSave()
    XCTAssertTrue(number.rebase(onto: 1).isEmpty)
    XCTAssertEqual(number.current, 1)
    XCTAssertFalse(number.isTouched)
    XCTAssertTrue(saving.rebase(onto: 1).isEmpty)
    XCTAssertFalse(saving.isTouched)
  }

  func testNestedMembersAreMerged() {
    var document = Dirtyable(Document())
    document.address.city = "Leiden"
    let theirs = Document(address: Document.Address(city: "Delft", number: 20))
    XCTAssertTrue(document.rebase(onto: theirs, merging: .init(\.address.city, \.address.number)).isEmpty)
    XCTAssertEqual(document.address, Document.Address(city: "Leiden", number: 20))
  }

  func testOverlappingMembersAreBothCompared() {
    var document = Dirtyable(Document())
    document.address.city = "Leiden"
    let theirs = Document(address: Document.Address(city: "Delft", number: 20))
    let conflicts = document.rebase(onto: theirs, merging: .init(\.address, \.address.number))
    XCTAssertEqual(conflicts.keyPaths, [\.address])
    XCTAssertEqual(document.address, Document.Address(city: "Leiden", number: 20), "the later one is written last")
  }

  /// The setter of `heading` stores in lower case, so it must not be called for an unedited heading.
  func testEqualMemberIsNotWritten() {
    var document = Dirtyable(Document())
    document.count = 1
    XCTAssertTrue(document.rebase(onto: Document(items: []), merging: .init(\.count, \.heading)).isEmpty)
    XCTAssertEqual(document.current, Document(count: 1, items: []))

    document.address.city = "Leiden"
    XCTAssertEqual(document.rebase(onto: Document(items: [4]), merging: .init(\.heading)).keyPaths, [\.self])
    XCTAssertEqual(document.title, "Draft")
  }

  func testListOfFieldsCanBeUsedAgain() {
    let fields = Fields(\.title, \.count)
    for round in 1...3 {
      var document = Dirtyable(Document())
      document.title = "Mine"
      let conflicts = document.rebase(onto: Document(title: "Theirs", count: round), merging: fields)
      XCTAssertEqual(conflicts.keyPaths, [\.title])
      XCTAssertEqual(document.count, round)
    }
  }

  /// Listed members are compared by themselves, so an edit counts even if the value's own `==` ignores it.
  func testListedMembersThatEqualityIgnoresAreMerged() {
    struct Item: Equatable {
      var id = 0
      var title = ""
      var size = 0
      static func == (left: Item, right: Item) -> Bool { left.id == right.id }
    }
    var item = Dirtyable(Item())
    item.title = "mine"
    let save = item.beginSave()
    item.title = "newer"
    XCTAssertTrue(item.rebase(onto: Item(size: 3), merging: .init(\.title, \.size)).isEmpty)
    XCTAssertEqual(item.title, "newer")
    XCTAssertEqual(item.size, 3)
    item.finishSave(save)
    XCTAssertEqual(item.original.title, "mine")
    XCTAssertEqual(item.original.size, 3)
    XCTAssertTrue(item.isDirty(\.title))
    XCTAssertFalse(item.isDirty(\.size))
    XCTAssertEqual(item.rebase(onto: Item(title: "theirs"), merging: .init(\.title, \.size)).keyPaths, [\.title])
  }

  /// Elements of dictionaries and sets are compared by all they store, even if they are equal.
  func testEditsThatEqualityIgnoresAreMergedInDictionariesAndSets() {
    struct Item: Hashable {
      var id: Int
      var title: String
      static func == (left: Item, right: Item) -> Bool { left.id == right.id }
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }
    struct Shelf: Equatable {
      var places: [String: Item] = [:]
      var items: Set<Item> = []
      var name = ""
    }
    let places = ["first": Item(id: 1, title: "old"), "second": Item(id: 2, title: "old")]
    var shelf = Dirtyable(Shelf(places: places, items: Set(places.values)))
    shelf.current.places["second"]?.title = "mine"
    shelf.current.items.update(with: Item(id: 1, title: "mine"))
    var theirs = shelf.original
    theirs.name = "theirs"
    XCTAssertTrue(shelf.rebase(onto: theirs, merging: .init(\.places, \.items, \.name)).isEmpty)
    XCTAssertEqual(shelf.name, "theirs")
    XCTAssertEqual(shelf.places["second"]?.title, "mine")
    XCTAssertEqual(shelf.items.first { $0.id == 1 }?.title, "mine")
    theirs.places["second"]?.title = "theirs"
    XCTAssertEqual(shelf.rebase(onto: theirs, merging: .init(\.places, \.items, \.name)).keyPaths, [\.places])
    // Other storage and another order make no difference.
    var copy = Dirtyable(theirs)
    copy.current.places = [:]
    for key in ["second", "first"] { copy.current.places[key] = theirs.places[key] }
    XCTAssertFalse(copy.isDirty(\.places))
  }

  func testConflictsHaveAReadableDescription() {
    var document = Dirtyable(Document())
    document.title = "Mine"
    XCTAssertEqual(document.rebase(onto: Document(), merging: .init(\.title)).description, "no conflicts")
    let conflicts = document.rebase(onto: Document(title: "Theirs"), merging: .init(\.title))
    XCTAssertEqual(conflicts.description, "\\Document.title: base Draft, mine Mine, theirs Theirs")
  }

  func testConflictsAreEqualIfTheirValuesAndKeyPathsAre() {
    func conflicts(_ base: Int, _ mine: Int, _ theirs: Int, _ fields: Fields) -> Dirtyable<Document>.Conflicts {
      var document = Dirtyable(original: Document(count: base), current: Document(count: mine))
      return document.rebase(onto: Document(count: theirs), merging: fields)
    }
    checkEquatable(equivalenceClasses: [
      [conflicts(0, 1, 2, Fields(\.count)), conflicts(0, 1, 2, Fields(\.title, \.count))],
      [conflicts(0, 1, 2, Fields())],
      [conflicts(4, 1, 2, Fields(\.count))],
      [conflicts(0, 4, 2, Fields(\.count))],
      [conflicts(0, 1, 4, Fields(\.count))],
    ])
  }

  func testNaNFollowsTheNewOriginalWithoutConflict() {
    struct Point: Equatable { var x = Double.nan, y = 0, name = "" }
    let fields = Dirtyable<Point>.Fields(\.x, \.name)
    var point = Dirtyable(Point())
    point.name = "mine"
    XCTAssert(point.rebase(onto: Point(), merging: fields).isEmpty)
    XCTAssert(point.rebase(onto: Point(y: 2), merging: fields).isEmpty)
    XCTAssertEqual([point.y, point.name.utf8.count], [2, 4])
    XCTAssert(point.rebase(onto: Point(x: 5, y: 2), merging: fields).isEmpty)
    XCTAssertEqual(point.current, Point(x: 5, y: 2, name: "mine"))
    // An edit beside NaN is still an edit.
    var other = Dirtyable(Point())
    other.y = 1
    XCTAssertEqual(other.rebase(onto: Point(y: 2)).keyPaths, [\Point.self])
    XCTAssertEqual(other.y, 1)
  }

  /// Values with the same bytes are the same, so their `==` is not called.
  func testMembersWithTheSameBytesAreNotCompared() {
    final class Count { var value = 0 }
    struct Body: Equatable {
      var text: String
      let count: Count
      static func == (left: Self, right: Self) -> Bool {
        left.count.value += 1
        return left.text == right.text
      }
    }
    struct Page: Equatable {
      var name: String, body: Body
      static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    }
    let count = Count()
    let original = Page(name: "one", body: Body(text: "a text that is too long to lie inline", count: count))
    var (page, theirs) = (Dirtyable(original), original)
    page.name = "mine"
    theirs.name = "theirs"
    XCTAssertEqual(page.rebase(onto: theirs, merging: .init(\.name, \.body)).keyPaths, [\Page.name])
    XCTAssertEqual(count.value, 0)
    page.body.text += ", and mine"
    theirs.body.text += ", and theirs"
    XCTAssertEqual(page.rebase(onto: theirs, merging: .init(\.name, \.body)).keyPaths, [\Page.body])
    XCTAssertGreaterThan(count.value, 0)
  }

  /// `String` finds a text in another normal form equal, but this value compares bytes, so the text is an edit.
  func testTextThatOnlyTheValuesEqualityDistinguishesIsKept() {
    struct Note: Equatable {
      var text = "caf\u{e9}", size = 12, other = 0
      static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8) && left.size == right.size && left.other == right.other
      }
    }
    var mine = Dirtyable(Note())
    mine.text = "cafe\u{301}"
    XCTAssert(mine.rebase(onto: Note(size: 13), merging: .init(\.text, \.size, \.other)).isEmpty)
    XCTAssertEqual(mine.current, Note(text: "cafe\u{301}", size: 13))
    XCTAssert(mine.isDirty)
    var other = Dirtyable(Note())
    other.other = 1
    var unlisted = other
    XCTAssert(other.rebase(onto: Note(text: "cafe\u{301}"), merging: .init(\.text, \.size)).isEmpty)
    XCTAssertEqual(other.current, Note(text: "cafe\u{301}", other: 1))
    // An incomplete list may lead to a needless conflict, but never hides a conflict.
    XCTAssertEqual(unlisted.rebase(onto: Note(text: "cafe\u{301}"), merging: .init(\.size)).keyPaths, [\Note.self])
  }

  /// The value compares the identity of its object, although the object's own `==` is always true.
  func testObjectThatOnlyTheValuesEqualityDistinguishesIsKept() {
    final class Photo: Equatable {
      static func == (left: Photo, right: Photo) -> Bool { true }
    }
    struct Page: Equatable {
      var photo: Photo, title = ""
      static func == (left: Self, right: Self) -> Bool { left.photo === right.photo && left.title == right.title }
    }
    let (old, new) = (Photo(), Photo())
    var page = Dirtyable(Page(photo: old))
    page.photo = new
    XCTAssert(page.rebase(onto: Page(photo: old, title: "theirs"), merging: .init(\.photo, \.title)).isEmpty)
    XCTAssertEqual(page.current, Page(photo: new, title: "theirs"))
    XCTAssert(page.isDirty)
  }

  // MARK: Rows

  private struct List: Equatable {
    var rows = ["a", "b", "c"]
    var note: String?
  }

  func testElementIsMergedIfAllVersionsHaveIt() {
    var list = Dirtyable(List())
    list.rows[1] = "mine"
    var theirs = List(rows: ["a", "b", "theirs"])
    XCTAssertTrue(list.rebase(onto: theirs, merging: .init(\.rows[1])).isEmpty)
    XCTAssertEqual(list.current, List(rows: ["a", "mine", "theirs"]))
    theirs.rows[1] = "other"
    let conflicts = list.rebase(onto: theirs, merging: .init(\.rows[1]))
    XCTAssertEqual(conflicts.keyPaths, [\List.rows[1]])
    XCTAssertEqual(conflicts[\.rows[1]].map { [$0.base, $0.mine, $0.theirs] }, ["b", "mine", "other"])
    XCTAssertNil(conflicts[\.rows[2]])
    list.rollback(\.rows[1])
    XCTAssertEqual(list.current, theirs)
  }

  func testEditedElementThatTheyRemovedConflictsAndStays() {
    var list = Dirtyable(List())
    list.rows[2] = "mine"
    let conflicts = list.rebase(onto: List(rows: ["a", "b"], note: "theirs"), merging: .init(\.rows[2]))
    XCTAssertEqual(conflicts.keyPaths, [\List.self, \List.rows[2]])
    XCTAssertEqual(conflicts[\.rows[2]].map { [$0.base, $0.mine, $0.theirs] }, ["c", "mine", nil])
    XCTAssertEqual(list.rows, ["a", "b", "mine"])
    XCTAssertTrue(list.isDirty(\.rows[2]))
  }

  func testEditedPartOfAnOptionalThatTheyRemovedConflictsAndStays() {
    struct Geo: Equatable { var latitude = 0 }
    struct Address: Equatable { var town = "London", geo: Geo? = Geo() }
    struct Person: Equatable { var name = "Ada", address: Address? = Address() }
    let mine = Person(address: Address(town: "Ockham", geo: Geo(latitude: 52)))
    let cases: [(Address?, Dirtyable<Person>.Fields, PartialKeyPath<Person>)] = [
      (nil, .init(\.address!.town), \.self), (nil, .init(\.address!.geo!.latitude), \.self),
      (Address(geo: nil), .init(\.address!.geo!.latitude), \.self), (nil, .init(\.address), \.address),
      (nil, .init(), \.self),
    ]
    for (address, fields, keyPath) in cases {
      var person = Dirtyable(Person())
      person.current = mine
      let conflicts = person.rebase(onto: Person(name: "theirs", address: address), merging: fields)
      XCTAssertTrue(conflicts.keyPaths.contains(keyPath), "\(conflicts)")
      XCTAssertEqual(person.current.address, mine.address)
      XCTAssertTrue(person.isDirty)
    }
  }

  func testUneditedElementThatTheyRemovedIsRemoved() {
    var list = Dirtyable(List())
    XCTAssertTrue(list.rebase(onto: List(rows: []), merging: .init(\.rows[2])).isEmpty)
    XCTAssertEqual(list.current, List(rows: []))
    list.rows = ["mine"]
    XCTAssertTrue(list.rebase(onto: List(rows: [], note: "n"), merging: .init(\.note!)).isEmpty == false)
    XCTAssertEqual(list.rows, ["mine"])
  }

  func testElementThatIAddedStays() {
    var list = Dirtyable(List())
    list.rows.append("mine")
    XCTAssertTrue(list.rebase(onto: List(), merging: .init(\.rows[3])).isEmpty)
    XCTAssertEqual(list.rows, ["a", "b", "c", "mine"])
  }
}
