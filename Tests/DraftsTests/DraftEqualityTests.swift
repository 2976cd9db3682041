import Dirtyables
import Drafts
import Foundation
import XCTest

/// Drafts of values whose `==` ignores stored properties, or that do not equal themselves.
final class DraftEqualityTests: XCTestCase {
  private struct Named: Identifiable, Equatable {
    var id = 1, name = "old"
    static func == (a: Named, b: Named) -> Bool { a.id == b.id }
  }

  private func commitInGenericCode<Value>(_ draft: inout Draft<Value>) { try? draft.commit() }

  func testMergeWritesAListedMemberThatEqualityIgnores() throws {
    let store = Store(Named())
    var draft = Draft(of: store, \.value)
    draft.name = "new"
    try draft.commit(.merge(.init(\.name)))
    XCTAssertEqual([store.value.name, draft.base.name, draft.current.name], ["new", "new", "new"])
    XCTAssertFalse(draft.sourceChanged(in: \.name))
  }

  func testCommitWritesEditsThatEqualityIgnores() throws {
    for isGeneric in [false, true] {
      let store = Store([Named()])
      var draft = Draft(of: store, \.value)
      draft.current[0].name = "typed"
      XCTAssertTrue(draft.isDirty)
      if isGeneric { commitInGenericCode(&draft) } else { try draft.commit() }
      XCTAssertEqual([store.value[0].name, draft.current[0].name], ["typed", "typed"])
      XCTAssertFalse(draft.isDirty)

      let text = Store("caf\u{e9}")
      var form = Draft(of: text, \.value)
      form.current = "cafe\u{301}"
      if isGeneric { commitInGenericCode(&form) } else { try form.commit() }
      XCTAssertEqual([text.value.utf8.count, form.current.utf8.count], [6, 6])
    }
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) else { return }
    let store = Store(Named())
    let draft = ObservableDraft(Draft(of: store, \.value))
    draft.name = "typed"
    XCTAssertTrue(draft.isDirty)
    try draft.commit()
    XCTAssertEqual([store.value.name, draft.name], ["typed", "typed"])
  }

  private struct Point: Equatable { var x = Double.nan, tags = ["a"].map(\.self), name = "" }

  func testDraftThatContainsNaNIsCleanOnceSetBack() {
    let model = Store(Point())
    var draft = Draft(of: model, \.value)
    draft.name = "a"
    XCTAssertTrue(draft.isDirty)
    draft.name = ""
    // Moves the tags to other storage, so that comparing bytes is not enough.
    draft.tags = draft.tags.map(\.self)
    XCTAssertFalse(draft.isDirty)
    model.value.name = "elsewhere"
    XCTAssertNoThrow(try draft.commit())
    XCTAssertEqual(model.value.name, "elsewhere")
    XCTAssertEqual(draft.name, "elsewhere")
  }

  func testUneditedNaNIsNotReportedAsAChange() {
    var draft = Draft(of: Store(Point()), \.value)
    draft.name = "a"
    XCTAssertFalse(draft.isDirty(\.x))
    XCTAssertNil(draft.edits.change(for: \.x))
    XCTAssertEqual(draft.edits.changedKeyPaths(among: \.x, \.name), [\.name])
    draft.x = 5
    XCTAssertEqual(draft.edits.changedKeyPaths(among: \.x, \.name), [\.x, \.name])
    XCTAssertEqual(draft.edits.change(for: \.x)?.new, 5)
  }

  func testNaNIsNotAChangeBesideElementsInOtherStorage() throws {
    let store = Decoded(\.name) { Point(name: $0) }
    var draft = Draft(of: store, \.value)
    XCTAssertFalse(draft.sourceChanged)
    draft.name = "new"
    try draft.commit(.failOnConflict)
    XCTAssertEqual(store.stored, "new")
  }

  func testMemberThatEqualityIgnoresIsWrittenToAnUnchangedSource() throws {
    struct Item: Equatable {
      let id: Int
      var title = ""
      static func == (a: Item, b: Item) -> Bool { a.id == b.id }
    }
    let store = Store(Item(id: 1))
    var draft = Draft(of: store, \.value)
    draft.title = "typed"
    try draft.commit(.failOnConflict)
    XCTAssertEqual(draft.title, "typed")
    XCTAssertEqual(store.value.title, "typed")
    draft.title = "mine"
    store.value.title = "theirs"
    XCTAssertThrowsError(try draft.commit(.failOnConflict))
    XCTAssertEqual([draft.title, store.value.title], ["mine", "theirs"])
  }

  private struct Item: Equatable {
    let id: Int
    var revision = 1, title = "", tags: [Tag] = []
    static func == (a: Item, b: Item) -> Bool { a.id == b.id && a.revision == b.revision }
  }
  private struct Tag: Equatable { let name: String }

  func testEditThatEqualityIgnoresIsNotLostOverANewerSource() {
    for edit in [{ $0.title = "mine" }, { $0.tags = [Tag(name: "mine")] }] as [(inout Item) -> Void] {
      let store = Store(Item(id: 1))
      var draft = Draft(of: store, \.value)
      draft.update(edit)
      let mine = draft.current
      store.value.revision = 2
      XCTAssertThrowsError(try draft.commit(.failOnConflict))
      XCTAssertEqual([draft.title, "\(draft.tags)"], [mine.title, "\(mine.tags)"])
      XCTAssertEqual([store.value.title, "\(store.value.revision)"], ["", "2"])
      XCTAssertNoThrow(try draft.commit(.merge(.init(\.revision))))
      XCTAssertEqual([store.value.title, "\(store.value.tags)"], [mine.title, "\(mine.tags)"])
      XCTAssertEqual(store.value.revision, 2)
    }
  }

  func testNewerMemberThatEqualityIgnoresIsNotOverwritten() {
    for policy in [.failOnConflict, .merge(.init(\.revision))] as [Draft<Item>.CommitPolicy] {
      let store = Store(Item(id: 1))
      var draft = Draft(of: store, \.value)
      draft.revision = 5
      store.value.title = "theirs"
      let isMerged = (try? draft.commit(policy)) != nil
      XCTAssertEqual(store.value.title, "theirs")
      XCTAssertEqual([draft.revision, store.value.revision], isMerged ? [5, 5] : [5, 1])
    }
  }

  func testEqualValuesConflictIfMembersThatEqualityIgnoresDiffer() {
    let store = Store(Item(id: 1))
    var draft = Draft(of: store, \.value)
    draft.update { ($0.revision, $0.title) = (2, "mine") }
    store.value = Item(id: 1, revision: 2, title: "theirs")
    XCTAssertThrowsError(try draft.commit(.failOnConflict))
    XCTAssertEqual([draft.title, store.value.title], ["mine", "theirs"])
  }

  func testOverwriteWritesConflictingMembersThatEqualityIgnores() throws {
    for revision in [1, 2] {
      let store = Store(Item(id: 1))
      var draft = Draft(of: store, \.value)
      draft.update { ($0.revision, $0.title) = (revision, "mine") }
      store.value = Item(id: 1, revision: 2, title: "theirs")
      XCTAssertThrowsError(try draft.commit(.failOnConflict))
      try draft.commit(.overwrite)
      XCTAssertEqual([store.value.title, draft.title], ["mine", "mine"])
    }
  }

  func testMembersThatAreNotEquatableAreComparedByContents() {
    struct Meta { var note = "" }
    enum State { case idle, loading, failed(Meta) }
    struct Page: Equatable {
      var revision = 1
      var meta: Meta?
      var state = State.idle
      static func == (a: Page, b: Page) -> Bool { a.revision == b.revision }
    }
    let edits: [(inout Page) -> Void] = [
      { $0.meta = Meta(note: "new") }, { $0.state = .loading }, { $0.state = .failed(Meta()) },
    ]
    for edit in edits {
      let store = Store(Page())
      var draft = Draft(of: store, \.value)
      draft.revision = 5
      edit(&store.value)
      XCTAssertThrowsError(try draft.commit(.failOnConflict))
      XCTAssertEqual(store.value.revision, 1)
    }
    for edit in edits {
      let store = Store(Page())
      var draft = Draft(of: store, \.value)
      draft.update(edit)
      let mine = draft.current
      store.value.revision = 2
      XCTAssertThrowsError(try draft.commit(.failOnConflict))
      XCTAssertTrue(draft.rebase(merging: .init(\.revision)).isEmpty)
      XCTAssertNoThrow(try draft.commit(.merge(.init(\.revision))))
      XCTAssertEqual("\(store.value.meta as Any) \(store.value.state)", "\(mine.meta as Any) \(mine.state)")
      XCTAssertEqual(store.value.revision, 2)
    }
  }

  /// The storage is an object that reflection can't compare, so the `==` of the value decides.
  func testValueThatCopiesItsStorageIsEditedOnlyIfItDiffers() throws {
    struct Message: Equatable {
      private final class Storage { var x = 0, y = 0 }
      private var storage = Storage()
      var x: Int {
        get { storage.x }
        set { change { $0.x = newValue } }
      }
      var y: Int {
        get { storage.y }
        set { change { $0.y = newValue } }
      }
      private mutating func change(_ change: (Storage) -> Void) {
        let new = Storage()
        (new.x, new.y) = (x, y)
        change(new)
        storage = new
      }
      static func == (a: Message, b: Message) -> Bool { a.x == b.x && a.y == b.y }
    }
    struct Page: Equatable { var message = Message(), title = "" }
    for policy in [.overwrite, .failOnConflict, .merge(.init(\.message.x))] as [Draft<Page>.CommitPolicy] {
      let store = Store(Page())
      var draft = Draft(of: store, \.value)
      draft.message.x = 1
      draft.message.x = 0
      store.value.message.y = 2
      try draft.commit(policy)
      XCTAssertEqual([store.value.message.y, draft.message.y], [2, 2])
    }
    let store = Store(Page())
    var draft = Draft(of: store, \.value)
    draft.message.x = 1
    store.value.message.y = 2
    try draft.commit(.merge(.init(\.message.x)))
    XCTAssertEqual([store.value.message.x, store.value.message.y], [1, 2])
    draft.message.x = 3
    store.value.message.x = 3
    XCTAssertTrue(draft.rebase(merging: .init(\.message.x)).isEmpty)
    XCTAssertFalse(draft.isDirty)
    store.value.title = "theirs"
    XCTAssertNoThrow(try draft.commit(.failOnConflict))
    XCTAssertEqual(draft.title, "theirs")
  }

  func testEveryCommitWritesAnAssignedObjectToAnUnchangedSource() throws {
    final class Box {}
    struct Page: Equatable {
      var text = "", box = Box()
      static func == (a: Page, b: Page) -> Bool { a.text == b.text }
    }
    for policy in [nil, .overwrite, .failOnConflict, .merge(.init(\.text))] as [Draft<Page>.CommitPolicy?] {
      let store = Store(Page())
      var draft = Draft(of: store, \.value)
      let box = Box()
      draft.box = box
      // A rebase keeps the object as well.
      if case .failOnConflict = policy { XCTAssertTrue(draft.rebase(merging: .init(\.text)).isEmpty) }
      XCTAssertTrue(draft.box === box)
      if let policy { try draft.commit(policy) } else { commitInGenericCode(&draft) }
      XCTAssertTrue(store.value.box === box && draft.box === box)
    }
  }

  func testEqualTextsInOtherFormsDoNotConflict() throws {
    struct Page: Equatable { var name = "caf\u{e9}", note = "a", price = Decimal(1), text = NSString(string: "a") }
    let store = Store(Page())
    var draft = Draft(of: store, \.value)
    draft.name = "cafe\u{301}"
    store.value.note = "b"
    XCTAssertNoThrow(try draft.commit(.merge(.init(\.name))))
    XCTAssertEqual(draft.note, "b")
    XCTAssertEqual([store.value.name, draft.name].map(\.utf8.count), [6, 6], "the typed text is written")
    draft.note = "c"
    store.value.text = NSMutableString(string: "a")
    store.value.price = Decimal(string: "1.0")!
    XCTAssertNoThrow(try draft.commit(.failOnConflict))
    XCTAssertEqual(store.value.note, "c")
  }

  func testTextInAnotherNormalFormIsKeptOverANewerSource() throws {
    struct Tag: Identifiable, Equatable { var id: Int, name = "caf\u{e9}" }
    struct Page: Equatable {
      var name = "caf\u{e9}", note = "a", nick: String? = "caf\u{e9}", tags = [Tag(id: 1)]
      var allNames: [String] { [name, nick ?? ""] + tags.map(\.name) }
    }
    let edits: [(inout Page) -> Void] = [
      { $0.name = "cafe\u{301}" }, { $0.nick = "cafe\u{301}" }, { $0.tags[0].name = "cafe\u{301}" },
    ]
    let fields = Dirtyable<Page>.Fields(\.note)
    let lists = [
      fields, Dirtyable.Fields(\.name, \.note, \.nick, \.tags),
      Dirtyable.Fields(\.name, \.nick, \.note).merging(elementsOf: \.tags),
    ]
    for edit in edits {
      for fields in lists {
        let store = Store(Page())
        var draft = Draft(of: store, \.value)
        draft.update(edit)
        let typed = draft.current.allNames
        store.value.note = "theirs"
        store.value.tags.append(Tag(id: 2, name: "b"))
        var rebased = draft
        _ = rebased.rebase(merging: fields)
        XCTAssertTrue(rebased.isDirty)
        XCTAssert(typed.allSatisfy { text in rebased.current.allNames.contains { $0.utf8.elementsEqual(text.utf8) } })
        _ = rebased.rebase(merging: fields)
        XCTAssert(typed.allSatisfy { text in rebased.current.allNames.contains { $0.utf8.elementsEqual(text.utf8) } })
        do {
          try draft.commit(.merge(fields))
          let names = store.value.allNames
          XCTAssert(typed.allSatisfy { text in names.contains { $0.utf8.elementsEqual(text.utf8) } })
          XCTAssertEqual(store.value.note, "theirs")
        } catch {
          XCTAssertTrue(draft.isDirty, "a refused commit keeps the edits")
        }
      }
    }
  }

  func testSourceThatNormalizesTextDoesNotConflict() throws {
    struct Page: Equatable { var name = "caf\u{e9}", note = "a" }
    let store = Store(Page())
    var draft = Draft(of: store, \.value)
    draft.name = "cafe\u{301}"
    store.value.name = "cafe\u{301}"
    store.value.note = "b"
    try draft.commit(.merge(.init(\.name, \.note)))
    XCTAssertEqual([store.value.name.utf8.count, draft.name.utf8.count], [6, 6])
    draft.note = "mine"
    store.value.name = "caf\u{e9}"
    try draft.commit(.failOnConflict)
    XCTAssertEqual(store.value.note, "mine")
  }

  func testObjectMadeAnewByTheSourceIsNotAChange() throws {
    final class Cache {}
    struct Page: Equatable {
      var text = "", cache = Cache()
      var filled: Cache?
      static func == (a: Page, b: Page) -> Bool { a.text == b.text }
    }
    let store = Decoded(\.text) { Page(text: $0) }
    var draft = Draft(of: store, \.value)
    draft.text = "new"
    draft.filled = Cache()
    try draft.commit(.failOnConflict)
    XCTAssertEqual(store.stored, "new")
    draft.text = "newer"
    XCTAssertNoThrow(try draft.commit(.failOnConflict))
  }

  func testNaNIsNotAChangeOfTheSource() throws {
    for policy in [.failOnConflict, .merge(.init(\.x, \.name))] as [Draft<Point>.CommitPolicy] {
      let store = Store(Point())
      var draft = Draft(of: store, \.value)
      XCTAssertFalse(draft.sourceChanged || draft.sourceChanged(in: \.x))
      draft.name = "new"
      XCTAssertNoThrow(try draft.commit(policy))
      XCTAssertEqual(store.value.name, "new")
      draft.name = "newer"
      XCTAssertNoThrow(try draft.commit())
      // A number in place of NaN is a change.
      store.value.x = 5
      XCTAssert(draft.sourceChanged && draft.sourceChanged(in: \.x))
    }
  }
}

private final class Store<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// A model that stores one text of a value, and makes a new value from it at each read, as a decoder does.
private final class Decoded<Value> {
  private(set) var stored = ""
  private let text: KeyPath<Value, String>
  private let make: (String) -> Value

  init(_ text: KeyPath<Value, String>, make: @escaping (String) -> Value) { (self.text, self.make) = (text, make) }

  var value: Value {
    get { make(stored) }
    set { stored = newValue[keyPath: text] }
  }
}
