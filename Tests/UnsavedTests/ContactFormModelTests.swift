import TestSupport
import Unsaved
import XCTest

/// The form of the article, edited at random while its server saves, refuses saves, pushes, and answers late.
///
/// The model has three values for each field: the server's value, and the values after and before each step.
@MainActor
final class ContactFormModelTests: XCTestCase {
  private static let words = ["Ada", "Ada King", "Grace", "Grace ", "x", "", "ada@example.com", "bob@example.com"]

  private enum Event {
    case push(Contact)
    case answer(UndoHistory<Contact>.Save, Contact)
    case refusal(UndoHistory<Contact>.Save)
  }

  private var form = ContactForm(Contact())
  private var model = FieldsModel()
  private var server = Contact()
  private var request: (save: UndoHistory<Contact>.Save, patch: Partial<Contact>)?
  /// The server's messages that are on their way.
  private var events: [Event] = []
  private var answered: [UndoHistory<Contact>.Save] = []

  func testEditsStayAndValuesOfTheServerArrive() async throws {
    try await withSeeds(900) { @MainActor random in
      self.start()
      for _ in 0..<25 {
        self.act(&random)
        self.check()
      }
      for _ in 0..<100 where self.form.history.needsSave || self.request != nil || !self.events.isEmpty {
        self.save()
        self.work(refusing: false, pushing: random.chance(oneIn: 2))
        while !self.events.isEmpty { self.hear(&random) }
        self.check()
      }
      expect(!self.form.history.isDirty && !self.form.history.isSaving, "saved at last")
      expectEqual(self.form.history.currentItem, self.server)
    }
  }

  /// Checks that the article shows the code of `ContactForm.swift`, and that it stays short.
  func testArticleShowsTheTestedForm() async throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let code = try String(contentsOf: tests.appending(path: "ContactForm.swift"), encoding: .utf8)
    let form = try XCTUnwrap(code.range(of: "struct Contact").map { code[$0.lowerBound...] })
    let article = try String(
      contentsOf: tests.appending(path: "../../Sources/Unsaved/Unsaved.docc/FormsOverARecord.md"), encoding: .utf8)
    for part in form.components(separatedBy: "\n\n@MainActor") {
      XCTAssertTrue(article.contains(part.trimmingCharacters(in: .newlines)), "the article has another form")
    }
    XCTAssertLessThanOrEqual(form.split(separator: "\n").count, 60)
  }

  private func start() {
    server = Contact(name: "Ada", email: "ada@example.com", version: 1)
    form = ContactForm(server)
    model = FieldsModel(base: fields(of: server))
    (request, events, answered) = (nil, [], [])
  }

  private func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<16) {
    case 0..<4: edit(&random)
    case 4, 5:
      expectEqual(form.history.undo() != nil, model.undo())
    case 6:
      expectEqual(form.history.redo() != nil, model.redo())
    case 7, 8: save()
    case 9, 10: work(refusing: random.chance(oneIn: 3), pushing: random.chance(oneIn: 2))
    case 11, 12:
      for field in Contact.fields where random.chance(oneIn: 2) {
        server[keyPath: field] = Self.words.randomElement(using: &random)!
      }
      server.version += 1
      events.append(.push(server))
    case 13: if let save = answered.randomElement(using: &random) { hearAgain(save) }
    default: hear(&random)
    }
  }

  /// Edits a field as a text field does with each key, or several fields as a button does in a transaction.
  private func edit(_ random: inout SeededRandom) {
    let before = (document: form.history.currentItem, count: form.history.undoCount)
    let index = random.int(in: 0..<Contact.fields.count)
    let field = Contact.fields[index]
    let old = form.history.currentItem[keyPath: field]
    switch random.int(in: 0..<6) {
    case 0, 1: form.history.currentItem[keyPath: field] = old + ["a", "b", " "].randomElement(using: &random)!
    case 2: form.history.currentItem[keyPath: field] = String(old.dropLast())
    case 3:
      let (name, email) = (Self.words.randomElement(using: &random)!, Self.words.randomElement(using: &random)!)
      form.history.transaction("Fill In") {
        $0.name = name
        $0.email = email
      }
    default: form.history.currentItem[keyPath: field] = Self.words.randomElement(using: &random)!
    }
    model.edit(
      from: fields(of: before.document), to: fields(of: form.history.currentItem),
      joins: before.document != form.history.currentItem && model.position > 0
        && form.history.undoCount == before.count)
  }

  private func save() {
    guard let begun = form.beginSave() else { return }
    expect(request == nil, "one save at a time")
    request = begun
    expectEqual(Contact.partialSchema.names(setIn: begun.patch), model.dirty.sorted().map { FieldsModel.names[$0] })
    model.beginSave()
  }

  private func work(refusing: Bool, pushing: Bool) {
    guard let (save, patch) = request else { return }
    request = nil
    if refusing { return events.append(.refusal(save)) }
    expectEqual(patch.apply(to: &server), [])
    server.name = String(server.name.reversed().drop { $0 == " " }.reversed())
    server.version += 1
    events.append(.answer(save, server))
    if pushing { events.append(.push(server)) }
  }

  /// Receives one of the server's messages, perhaps out of order.
  private func hear(_ random: inout SeededRandom) {
    guard !events.isEmpty else { return }
    let old = form.stored
    switch events.remove(at: random.chance(oneIn: 2) ? 0 : random.int(in: 0..<events.count)) {
    case .push(let contact):
      form.didReceive(push: contact)
      if contact.version > old.version { model.rebase(onto: fields(of: contact)) }
    case .answer(let save, let contact):
      form.didSave(save, answer: contact)
      answered.append(save)
      model.finishSave(stored: fields(of: form.stored))
    case .refusal(let save):
      form.didFail(save)
      answered.append(save)
      model.inFlight = nil
    }
  }

  private func hearAgain(_ save: UndoHistory<Contact>.Save) {
    let before = (form.history.currentItem, !form.history.isDirty, form.history.savesInFlight)
    form.didSave(save, answer: form.stored)
    form.didFail(save)
    expect(before == (form.history.currentItem, !form.history.isDirty, form.history.savesInFlight), "answered before")
  }

  private func check() {
    let contact = form.history.currentItem
    expectEqual(fields(of: contact), model.values)
    expectEqual(form.history.undoCount, model.position)
    expectEqual(form.history.redoCount, model.steps.count - model.position)
    expectEqual(contact.version, form.stored.version)
    expect(form.history.blockingRemoteEdit == nil, "no remote edit blocks undo")
    for (index, field) in Contact.fields.enumerated() {
      expectEqual(form.isDirty(field), model.dirty.contains(index))
      if !form.isDirty(field) { expectEqual(contact[keyPath: field], form.stored[keyPath: field]) }
    }
    expectEqual(
      form.history.changed(among: \.name, \.email, \.phone, \.version, since: .savedPoint),
      Contact.fields.filter { form.isDirty($0) }.map { $0 as PartialKeyPath<Contact> })
    expectEqual(!form.history.isDirty, model.isAt(model.saved))
    expectEqual(form.history.needsSave, !model.isAt(model.inFlight ?? model.saved))
  }

  private func fields(of contact: Contact) -> [String] { Contact.fields.map { contact[keyPath: $0] } }
}

/// A model of the form's fields and of the steps that edited them, with the values before and after each step.
private struct FieldsModel {
  static let names = ["name", "email", "phone"]

  /// The state that the server has, and the fields in which the server differs from that state.
  struct Point {
    var state = 0
    var differences: Set<Int> = []
  }

  var base = ["", "", ""]
  var steps: [[Int: (old: String, new: String)]] = []
  var position = 0
  var saved = Point()
  var inFlight: Point?

  var values: [String] { base.indices.map { value(of: $0, at: position) } }
  var dirty: Set<Int> { saved.differences.union(edited(between: saved.state, and: position)) }

  func isAt(_ point: Point) -> Bool { point.state == position && point.differences.isEmpty }

  func value(of field: Int, at state: Int) -> String {
    if let step = steps[..<state].last(where: { $0[field] != nil }) { return step[field]!.new }
    return steps[state...].first { $0[field] != nil }?[field]!.old ?? base[field]
  }

  private func edited(between one: Int, and other: Int) -> Set<Int> {
    Set(steps[min(one, other)..<max(one, other)].flatMap(\.keys))
  }

  mutating func undo() -> Bool {
    guard position > 0 else { return false }
    position -= 1
    return true
  }

  mutating func redo() -> Bool {
    guard position < steps.count else { return false }
    position += 1
    return true
  }

  mutating func edit(from old: [String], to new: [String], joins: Bool) {
    let changes = new.indices.filter { old[$0] != new[$0] }
    if changes.isEmpty { return }
    if joins {
      for field in changes { steps[position - 1][field]!.new = new[field] }
      return
    }
    let (state, all) = (position, values)
    forEachPoint { model, point in
      guard point.state > state else { return }
      point.differences.formUnion(model.edited(between: state, and: point.state))
      point.state = state
    }
    steps.removeSubrange(position...)
    base = all
    steps.append(.init(uniqueKeysWithValues: changes.map { ($0, (old[$0], new[$0])) }))
    position += 1
  }

  private mutating func forEachPoint(_ body: (FieldsModel, inout Point) -> Void) {
    let model = self
    body(model, &saved)
    if inFlight != nil { body(model, &inFlight!) }
  }

  mutating func beginSave() { inFlight = Point(state: position) }

  mutating func finishSave(stored: [String]) {
    guard let point = inFlight else { return fail("no save is in flight") }
    (saved, inFlight) = (point, nil)
    rebase(onto: stored)
  }

  /// Each field that is not kept gets the server's value at the saved point: as the new value of the step before that
  /// point, and as the old value of the step after it.
  mutating func rebase(onto stored: [String]) {
    var kept = saved.differences
    if let inFlight {
      let written = edited(between: saved.state, and: inFlight.state)
      kept.formUnion(written.filter { value(of: $0, at: inFlight.state) == stored[$0] })
    }
    let differing = stored.indices.filter { value(of: $0, at: saved.state) != stored[$0] }
    saved.differences = kept.intersection(differing)
    for field in differing where !kept.contains(field) {
      base[field] = stored[field]
      let below = steps[..<saved.state].lastIndex { $0[field] != nil }
      let above = steps[saved.state...].firstIndex { $0[field] != nil }
      if let below { steps[below][field]!.new = stored[field] }
      if let above { steps[above][field]!.old = stored[field] }
    }
  }
}
