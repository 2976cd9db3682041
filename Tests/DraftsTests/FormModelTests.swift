import Dirtyables
import Drafts
import TestSupport
import XCTest

/// A form of six fields that is edited directly and in a sheet, while a server saves it, refuses saves, and pushes
/// edits.
///
/// Every typed or pushed value is a new number, so the oracle is simple: an unsaved value stays in its field, and every
/// other field has the newest value from the server.
final class FormModelTests: XCTestCase {
  struct Form: Equatable {
    var name = 0, email = 0, phone = 0, street = 0, town = 0, notes = 0

    static let members: [any WritableKeyPath<Form, Int> & Sendable] = [
      \.name, \.email, \.phone, \.street, \.town, \.notes,
    ]
    static let fields = Dirtyable<Form>.Fields(\.name, \.email, \.phone, \.street, \.town, \.notes)
  }

  final class Model { var form = Dirtyable(Form()) }

  /// One field: the server's value, the typed and unsaved value, the value in flight, and the edit in the sheet.
  struct Field {
    var known = 0
    var typed: Int?
    var inSave: Int?
    var inSheet: Int?

    var shown: Int { typed ?? known }

    mutating func hear(_ pushed: Int) {
      known = pushed
      if inSave == pushed { inSave = nil }
      if typed == pushed { typed = nil }
    }

    mutating func finish() {
      guard let inSave else { return }
      known = inSave
      if typed == inSave { typed = nil }
      self.inSave = nil
    }
  }

  enum Event {
    case push(Form)
    case stored(Dirtyable<Form>.Save, Form?)
    case refused(Dirtyable<Form>.Save)
  }

  func testTypedValuesStayAndPushedValuesArrive() {
    withSeeds(900) { History().play(&$0) }
  }

  /// A form, its sheet and its server.
  private final class History {
    private let model = Model()
    private lazy var sheet = Draft(of: model, \.form.current)
    private var fields = Form.members.map { _ in Field() }
    private var server = Form()
    private var request: (save: Dirtyable<Form>.Save, changes: [(member: Int, value: Int)])?
    /// The messages from the server, in order.
    private var events: [Event] = []
    private var answered: [Dirtyable<Form>.Save] = []
    private var newest = 0

    func play(_ random: inout SeededRandom) {
      for _ in 0..<25 {
        step(&random)
        check()
      }
      for _ in 0..<100 where model.form.isDirty || request != nil || !events.isEmpty {
        save(&random)
        work(refusing: false, telling: random.chance(oneIn: 2))
        while !events.isEmpty { hear() }
        check()
      }
      expect(!model.form.isDirty && !model.form.isSaving, "saved at last")
      expectEqual(model.form.current, server)
    }

    private func step(_ random: inout SeededRandom) {
      let member = random.int(in: 0..<Form.members.count)
      switch random.int(in: 0..<16) {
      case 0..<4:
        newest += 1
        model.form[dynamicMember: Form.members[member]] = newest
        fields[member].typed = newest
      case 4, 5:
        newest += 1
        sheet[dynamicMember: Form.members[member]] = newest
        fields[member].inSheet = newest
      case 6: apply()
      case 7:
        sheet.rollback()
        for index in fields.indices { fields[index].inSheet = nil }
      case 8, 9: save(&random)
      case 10, 11: work(refusing: random.chance(oneIn: 3), telling: random.chance(oneIn: 2))
      case 12, 13:
        newest += 1
        server[keyPath: Form.members[member]] = newest
        events.append(.push(server))
      case 14: if let save = answered.randomElement(using: &random) { hearAgain(save) }
      default: hear()
      }
    }

    /// "Apply" in the sheet: if there is a conflict, the user keeps the values of the sheet.
    private func apply() {
      let expected = fields.map { $0.inSheet ?? $0.shown }
      do {
        try sheet.commit(.merge(Form.fields))
      } catch {
        expect(error.keyPaths.allSatisfy { isInSheet($0) }, "\(error.keyPaths) are in conflict without an edit")
        expectEqual(sheet.rebase(merging: Form.fields).keyPaths, error.keyPaths)
        do { try sheet.commit(.failOnConflict) } catch { expect(false, "\(error)") }
      }
      for index in fields.indices {
        if let value = fields[index].inSheet { fields[index].typed = value }
        fields[index].inSheet = nil
      }
      expectEqual(numbers(of: model.form.current), expected)
      expect(!sheet.isDirty && !sheet.sourceChanged, "applied")
    }

    private func isInSheet(_ keyPath: PartialKeyPath<Form>) -> Bool {
      fields.indices.contains { fields[$0].inSheet != nil && keyPath == Form.members[$0] }
    }

    private func save(_ random: inout SeededRandom) {
      guard model.form.needsSave, !model.form.isSaving else { return }
      let save = model.form.beginSave(id: .init(rawValue: random.next()))
      for index in fields.indices { fields[index].inSave = fields[index].typed }
      request = (save, fields.indices.compactMap { index in fields[index].typed.map { (index, $0) } })
    }

    private func work(refusing: Bool, telling: Bool) {
      guard let (save, changes) = request else { return }
      request = nil
      if refusing { return events.append(.refused(save)) }
      for (member, value) in changes { server[keyPath: Form.members[member]] = value }
      events.append(.stored(save, telling ? server : nil))
    }

    private func hear() {
      guard !events.isEmpty else { return }
      switch events.removeFirst() {
      case .push(let form):
        _ = model.form.rebase(onto: form, merging: Form.fields)
        move(onto: form)
      case .stored(let save, let form):
        for index in fields.indices { fields[index].finish() }
        answered.append(save)
        if let form {
          expect(model.form.finishSave(save, stored: form, merging: Form.fields) != nil, "in flight")
          move(onto: form)
        } else {
          expect(model.form.finishSave(save), "in flight")
        }
      case .refused(let save):
        for index in fields.indices { fields[index].inSave = nil }
        answered.append(save)
        expect(model.form.failSave(save), "in flight")
      }
    }

    private func hearAgain(_ save: Dirtyable<Form>.Save) {
      let before = model.form
      expect(!model.form.finishSave(save) && !model.form.failSave(save), "answered before")
      expectEqual(model.form, before)
    }

    private func move(onto form: Form) {
      for (index, number) in numbers(of: form).enumerated() { fields[index].hear(number) }
    }

    private func numbers(of form: Form) -> [Int] { Form.members.map { form[keyPath: $0] } }

    private func check() {
      expectEqual(numbers(of: model.form.current), fields.map(\.shown))
      expectEqual(numbers(of: model.form.original), fields.map(\.known))
      for (index, member) in Form.members.enumerated() {
        expectEqual(model.form.isDirty(member), fields[index].typed != nil)
        expectEqual(sheet.isDirty(member), fields[index].inSheet != nil)
        if let value = fields[index].inSheet { expectEqual(sheet.current[keyPath: member], value) }
      }
      expectEqual(model.form.isDirty, fields.contains { $0.typed != nil })
      expectEqual(model.form.needsSave, fields.contains { $0.typed != nil && $0.typed != $0.inSave })
      if events.isEmpty { expectEqual(model.form.original, server) }
    }
  }
}
