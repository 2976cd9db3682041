import Dirtyables
import TestSupport
import XCTest

/// A form that is edited while a server saves it, refuses saves, and pushes the edits of other clients.
///
/// Two models judge it, and neither merges: an oracle that moves numbers one by one, and the server itself. An unedited
/// number must never be dirty or sent. After all messages have arrived, the original must be the server's form.
final class DirtyableSessionModelTests: XCTestCase {
  struct Row: Identifiable, Equatable {
    var id: Int
    var number = 0
  }

  /// Five numbers, two of them in the elements of an array.
  struct Form: Equatable {
    var a = 0
    var b = 0
    var c = 0
    var rows = [Row(id: 0), Row(id: 1)]

    static let fields = Dirtyable<Form>.Fields(\.a, \.b, \.c).merging(elementsOf: \.rows)

    static let numbers: [any WritableKeyPath<Form, Int> & Sendable] = [
      \.a, \.b, \.c, \.rows[0].number, \.rows[1].number,
    ]

    init(_ numbers: [Int] = [0, 0, 0, 0, 0]) {
      for (keyPath, number) in zip(Form.numbers, numbers) { self[keyPath: keyPath] = number }
    }

    var numbers: [Int] { Form.numbers.map { self[keyPath: $0] } }
  }

  /// One number as the client should see it: originally, in each save in flight, and now.
  struct Oracle {
    var original = 0
    var saves: [(id: Dirtyable<Form>.Save.ID, number: Int)] = []
    var current = 0
    var isEverEdited = false

    /// Moves the number to a new original, except where it was changed; true if both sides changed it differently.
    mutating func move(onto new: Int, isRolledBack: Bool) -> Bool {
      var (base, moved, isConflict) = (original, new, false)
      if isRolledBack {
        // After a rollback the number is theirs, unless the newest save wrote theirs.
        let newest = saves.last?.number ?? original
        current = new == newest ? original : new
        if newest == original { current = new }
      }
      func step(_ number: inout Int) {
        let old = number
        if old == base { number = moved } else if moved != base, moved != old { isConflict = true }
        (base, moved) = (old, number)
      }
      for index in saves.indices { step(&saves[index].number) }
      if !isRolledBack { step(&current) }
      original = new
      return isConflict
    }

    mutating func finish(_ id: Dirtyable<Form>.Save.ID) {
      guard let index = saves.firstIndex(where: { $0.id == id }) else { return }
      original = saves[index].number
      saves.removeSubrange(...index)
    }
  }

  enum Event {
    case push(Form)
    case stored(Dirtyable<Form>.Save, Form?)
    case refused(Dirtyable<Form>.Save)
  }

  struct Server {
    struct Request {
      var save: Dirtyable<Form>.Save
      var changes: [(number: Int, value: Int)]
      /// Whether the answer must contain the result, because other saves were in flight or it writes a number of
      /// another client.
      var mustBeTold: Bool
    }

    var form = Form()
    var requests: [Request] = []
    /// The messages to the client, in order.
    var events: [Event] = []
    let normalizes: Bool
    /// Whether the server pushes the form that a save wrote before it answers the save.
    let echoes: Bool
    /// Whether every answer contains the stored form.
    ///
    /// Otherwise other clients write numbers of their own, because a push could not tell two equal writes apart.
    let tells: Bool

    static let theirs = 5..<9

    mutating func work(refusing: Bool, telling: Bool) {
      guard !requests.isEmpty else { return }
      let request = requests.removeFirst()
      if refusing { return events.append(.refused(request.save)) }
      for (number, value) in request.changes {
        form[keyPath: Form.numbers[number]] = normalizes ? value / 2 * 2 : value
      }
      if echoes { events.append(.push(form)) }
      events.append(.stored(request.save, telling || tells || request.mustBeTold ? form : nil))
    }
  }

  func testUneditedNumbersAreNeverDirtyOrSent() {
    withSeeds(1000) { History().play(&$0) }
  }

  /// A client and its server.
  private final class History {
    private var value = Dirtyable(Form())
    private var oracle = Form.numbers.map { _ in Oracle() }
    private var server = Server(normalizes: false, echoes: false, tells: false)
    /// Answers that have arrived, or that the answer to a newer save overtook.
    private var old: [Event] = []

    func play(_ random: inout SeededRandom) {
      let normalizes = random.chance(oneIn: 4)
      server = Server(
        normalizes: normalizes, echoes: random.chance(oneIn: 2), tells: normalizes || random.chance(oneIn: 3))
      // Only other clients write the other numbers, which arrive in pushes.
      let mine = (0..<Form.numbers.count).filter { _ in random.chance(oneIn: 2) }

      for _ in 0..<random.int(in: 1..<50) {
        step(&random, mine)
        check()
      }
      for _ in 0..<1000 where value.needsSave || value.isSaving || !server.events.isEmpty {
        if value.needsSave { save(&random) }
        server.work(refusing: false, telling: random.chance(oneIn: 2))
        hear(&random)
        check()
      }
      expect(!value.isDirty, "saved at last")
      expectEqual(value.current, server.form)
    }

    private func step(_ random: inout SeededRandom, _ mine: [Int]) {
      switch random.int(in: 0..<16) {
      case 0..<4:
        guard let number = mine.randomElement(using: &random) else { return }
        let new = random.int(in: 0..<5)
        value[dynamicMember: Form.numbers[number]] = new
        oracle[number].current = new
        oracle[number].isEverEdited = true
      case 4, 5: if value.needsSave { save(&random) }
      case 6, 7: server.work(refusing: false, telling: random.chance(oneIn: 2))
      case 8: server.work(refusing: true, telling: false)
      case 9, 10:
        let keyPath = Form.numbers.randomElement(using: &random) ?? \.a
        server.form[keyPath: keyPath] = random.int(in: server.tells ? 0..<5 : Server.theirs)
        server.events.append(.push(server.form))
      case 11:
        value.rollback()
        for number in oracle.indices { oracle[number].current = oracle[number].original }
      case 12: if let event = old.randomElement(using: &random) { hearAgain(event) }
      default: hear(&random)
      }
    }

    /// Sends only the numbers that the save changes.
    private func save(_ random: inout SeededRandom) {
      let others = [value.original] + value.savesInFlight.map(\.value)
      let save = value.beginSave(id: .init(rawValue: random.next()))
      let changes = Form.numbers.indices.filter { number in
        others.contains { $0.numbers[number] != save.value.numbers[number] }
      }
      expect(changes.allSatisfy { oracle[$0].isEverEdited }, "unedited numbers among those sent: \(changes)")
      for number in oracle.indices { oracle[number].saves.append((save.id, oracle[number].current)) }
      let written = changes.map { ($0, save.value.numbers[$0]) }
      let isOfTheirs = written.contains { Server.theirs.contains($1) }
      server.requests.append(.init(save: save, changes: written, mustBeTold: others.count > 1 || isOfTheirs))
    }

    private func hear(_ random: inout SeededRandom) {
      guard !server.events.isEmpty else { return }
      let event = server.events.removeFirst()
      if case .stored = event, case .stored? = server.events.first, random.chance(oneIn: 2) {
        old.append(event)  // overtaken
        return hear(&random)
      }
      switch event {
      case .push(let form):
        let expected = move(onto: form, isRolledBack: isRolledBack(value))
        let conflicts = value.rebase(onto: form, merging: Form.fields)
        expectEqual(conflicts.keyPaths, expected)
        return
      case .stored(let save, let form):
        for number in oracle.indices { oracle[number].finish(save.id) }
        if let form {
          var finished = value
          finished.finishSave(save)
          let expected = move(onto: form, isRolledBack: isRolledBack(finished))
          expectEqual(value.finishSave(save, stored: form, merging: Form.fields)?.keyPaths, expected)
        } else {
          expect(value.finishSave(save), "in flight")
        }
      case .refused(let save):
        for number in oracle.indices { oracle[number].saves.removeAll { $0.id == save.id } }
        expect(value.failSave(save), "in flight")
      }
      old.append(event)
    }

    private func hearAgain(_ event: Event) {
      let before = value
      switch event {
      case .stored(let save, let form?):
        expectEqual(value.finishSave(save, stored: form, merging: .init(\.a, \.b)), nil)
      case .stored(let save, nil): expect(!value.finishSave(save), "late, or twice")
      case .refused(let save): expect(!value.failSave(save), "twice")
      case .push: break
      }
      expectEqual(value, before)
    }

    private func isRolledBack(_ value: Dirtyable<Form>) -> Bool {
      !value.isTouched && value.current != (value.savesInFlight.last?.value ?? value.original)
    }

    /// The members in conflict; the rows are one member.
    private func move(onto form: Form, isRolledBack: Bool) -> [PartialKeyPath<Form>] {
      let conflicts = Form.numbers.indices.filter {
        oracle[$0].move(onto: form.numbers[$0], isRolledBack: isRolledBack)
      }
      let differing = Form.numbers.indices.filter { oracle[$0].current != form.numbers[$0] }
      let members: [PartialKeyPath<Form>] = [\.a, \.b, \.c]
      let isRowsConflict = conflicts.contains { $0 > 2 } && differing.contains { $0 > 2 }
      return members.indices.filter { conflicts.contains($0) && differing.contains($0) }.map { members[$0] }
        + (isRowsConflict ? [\.rows] : [])
    }

    private func check() {
      expectEqual(value.current.numbers, oracle.map(\.current))
      expectEqual(value.original.numbers, oracle.map(\.original))
      expectEqual(
        value.savesInFlight.map(\.value.numbers),
        value.savesInFlight.indices.map { save in
          oracle.map { $0.saves[save].number }
        })
      expectEqual(value.isDirty, value.current != value.original)
      for (number, keyPath) in Form.numbers.enumerated() {
        expectEqual(value.isDirty(keyPath), oracle[number].current != oracle[number].original)
        expect(oracle[number].isEverEdited || !value.isDirty(keyPath), "\(number) is dirty without an edit")
      }
      if server.events.isEmpty { expectEqual(value.original, server.form, "all messages have arrived") }
    }
  }
}
