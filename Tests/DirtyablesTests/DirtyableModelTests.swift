import Dirtyables
import TestSupport
import XCTest

/// Random histories against a model that keeps every version, with a stamp for each write.
///
/// Two versions of the model are the same if their stamps are: a write makes a new stamp, and everything else copies
/// stamps.
final class DirtyableModelTests: XCTestCase {
  /// Small domains, so that values set back and equal changes on both sides are frequent.
  struct Form: Hashable, Codable, Sendable {
    var name = 0
    var size = 0
    var tags: [Int] = [0]

    mutating func edit(_ random: inout SeededRandom) {
      switch random.int(in: 0..<4) {
      case 0: name = random.int(in: 0..<3)
      case 1: size = random.int(in: 0..<3)
      case 2: tags[0] = random.int(in: 0..<3)
      default: self = Form(name: random.int(in: 0..<2), size: random.int(in: 0..<2), tags: [random.int(in: 0..<2)])
      }
    }
  }

  struct Version {
    var form: Form
    var stamp: Int
  }

  struct Model {
    var original = Version(form: Form(), stamp: 0)
    var current = Version(form: Form(), stamp: 0)
    var saves: [(save: Dirtyable<Form>.Save, version: Version)] = []
  }

  /// A member of the form, for which the type under test uses a key path, and the model a switch.
  enum Member: CaseIterable { case name, size, tags }

  func testRandomHistoriesFollowTheModel() {
    withSeeds(1500) { History().play(&$0) }
  }

  /// A random history, and its model.
  private final class History {
    private var value = Dirtyable(Form())
    private var model = Model()
    private var lastStamp = 0
    /// Every save that was begun, also by copies that were dropped.
    private var begun: [Dirtyable<Form>.Save] = []

    private func newStamp() -> Int {
      lastStamp += 1
      return lastStamp
    }

    func play(_ random: inout SeededRandom) {
      var past: [(Dirtyable<Form>, Model)] = []
      for _ in 0..<random.int(in: 1..<40) {
        if random.chance(oneIn: 6) { past.append((value, model)) }
        step(&random)
        check()
        if random.chance(oneIn: 20), let earlier = past.randomElement(using: &random) { (value, model) = earlier }
      }
      for (earlier, itsModel) in past {
        (value, model) = (earlier, itsModel)
        check()
      }
    }

    private func step(_ random: inout SeededRandom) {
      switch random.int(in: 0..<16) {
      case 0..<5: write(&random)
      case 5, 6:
        let save = value.beginSave(id: .init(rawValue: random.next()))
        expectEqual(save.value, model.current.form)
        begun.append(save)
        model.saves.append((save, model.current))
      case 7: if let save = begun.randomElement(using: &random) { finish(save) }
      case 8: if let save = begun.randomElement(using: &random) { finish(save, &random) }
      case 9: if let save = begun.randomElement(using: &random) { fail(save) }
      case 10:
        value.commit()
        model.original = model.current
        model.saves = []
      case 11:
        value.rollback()
        model.current = model.original
      case 12: commit(Member.allCases.randomElement(using: &random) ?? .name)
      case 13: rollback(Member.allCases.randomElement(using: &random) ?? .name)
      default: rebase(&random)
      }
    }

    private func write(_ random: inout SeededRandom) {
      model.current = Version(form: model.current.form, stamp: newStamp())
      model.current.form.edit(&random)
      let form = model.current.form
      switch random.int(in: 0..<4) {
      case 0:
        value.name = form.name
        value.size = form.size
        value.tags = form.tags
      case 1: value.current = form
      case 2: value.update { $0 = form }
      default:
        value.tags[0] = form.tags[0]
        value.current.name = form.name
        value.update { $0.size = form.size }
      }
    }

    private func finish(_ save: Dirtyable<Form>.Save) {
      let index = model.saves.firstIndex { $0.save.id == save.id }
      expectEqual(value.finishSave(save), index != nil)
      if let index { settle(index) }
    }

    private func settle(_ index: Int) {
      model.original = model.saves[index].version
      model.saves.removeSubrange(...index)
    }

    private func finish(_ save: Dirtyable<Form>.Save, _ random: inout SeededRandom) {
      let index = model.saves.firstIndex { $0.save.id == save.id }
      var stored = index.map { model.saves[$0].version.form } ?? Form()
      if random.chance(oneIn: 2) { stored.edit(&random) }
      let fields = [Dirtyable<Form>.Fields(), .init(\.size), .init(\.name, \.size, \.tags)]
      let listed: [Set<Member>] = [[], [.size], [.name, .size, .tags]]
      let choice = random.int(in: 0..<3)
      let conflicts = value.finishSave(save, stored: stored, merging: fields[choice])
      expectEqual(conflicts != nil, index != nil)
      guard let index else { return }
      settle(index)
      expectEqual(conflicts?.keyPaths, move(onto: stored, listed[choice]))
    }

    private func fail(_ save: Dirtyable<Form>.Save) {
      let index = model.saves.firstIndex { $0.save.id == save.id }
      expectEqual(value.failSave(save), index != nil)
      if let index { model.saves.remove(at: index) }
    }

    private func commit(_ member: Member) {
      let current = model.current.form
      func copyMember(_ form: inout Form) {
        switch member {
        case .name: form.name = current.name
        case .size: form.size = current.size
        case .tags: form.tags = current.tags
        }
      }
      switch member {
      case .name: value.commit(\.name)
      case .size: value.commit(\.size)
      case .tags: value.commit(\.tags)
      }
      copyMember(&model.original.form)
      for index in model.saves.indices { copyMember(&model.saves[index].version.form) }
    }

    private func rollback(_ member: Member) {
      if model.current.stamp != model.original.stamp { model.current.stamp = newStamp() }
      switch member {
      case .name:
        value.rollback(\.name)
        model.current.form.name = model.original.form.name
      case .size:
        value.rollback(\.size)
        model.current.form.size = model.original.form.size
      case .tags:
        value.rollback(\.tags)
        model.current.form.tags = model.original.form.tags
      }
    }

    private func rebase(_ random: inout SeededRandom) {
      let listed = Set(Member.allCases.filter { _ in random.chance(oneIn: 2) })
      var theirs = random.chance(oneIn: 4) ? model.current.form : model.original.form
      for _ in 0..<random.int(in: 0..<3) { theirs.edit(&random) }

      let conflicts =
        switch (listed.contains(.name), listed.contains(.size), listed.contains(.tags)) {
        case (false, false, false): value.rebase(onto: theirs)
        case (true, false, false): value.rebase(onto: theirs, merging: .init(\.name))
        case (false, true, false): value.rebase(onto: theirs, merging: .init(\.size))
        case (false, false, true): value.rebase(onto: theirs, merging: .init(\.tags))
        case (true, true, false): value.rebase(onto: theirs, merging: .init(\.name, \.size))
        case (true, false, true): value.rebase(onto: theirs, merging: .init(\.name, \.tags))
        case (false, true, true): value.rebase(onto: theirs, merging: .init(\.size, \.tags))
        case (true, true, true): value.rebase(onto: theirs, merging: .init(\.name, \.size, \.tags))
        }

      let (base, mine) = (model.original.form, model.current.form)
      let expected = move(onto: theirs, listed)
      expectEqual(conflicts.keyPaths, expected, "base \(base), mine \(mine), theirs \(theirs), listed \(listed)")
      expectEqual(conflicts.isEmpty, expected.isEmpty)
      expectEqual([conflicts.base, conflicts.mine, conflicts.theirs], [base, mine, theirs])
      expectEqual(conflicts[\.name]?.theirs, expected.contains(\.name) ? theirs.name : nil)
    }

    /// Moves every version of the model as a change to the version before it, and returns the key paths in conflict.
    private func move(onto theirs: Form, _ listed: Set<Member>) -> [PartialKeyPath<Form>] {
      var conflicts: Set<PartialKeyPath<Form>> = []
      var base = model.original
      let (old, wasUntouched) = (model.original.form, model.current.stamp == model.original.stamp)
      model.original = Version(form: theirs, stamp: newStamp())
      var moved = model.original

      func move(_ version: Version) -> Version {
        if version.stamp == base.stamp { return moved }
        var result = Version(form: version.form, stamp: 0)
        for part in parts(listed) {
          let (base, mine, theirs) = (part.read(base.form), part.read(version.form), part.read(moved.form))
          if mine == base || mine == theirs {
            part.take(moved.form, &result.form)
          } else if theirs != base {
            conflicts.insert(part.keyPath)
          }
        }
        result.stamp = moved.form == result.form ? moved.stamp : newStamp()
        return result
      }
      /// The value after a rollback: theirs, except where theirs is the value that the newest save wrote.
      func follow(_ theirs: Form, _ newest: Form) -> Version {
        var result = Version(form: theirs, stamp: 0)
        for part in parts(listed) where part.read(theirs) == part.read(newest) { part.take(old, &result.form) }
        result.stamp = [model.original, moved].first { $0.form == result.form }?.stamp ?? newStamp()
        return result
      }
      for index in model.saves.indices {
        let version = model.saves[index].version
        moved = move(version)
        base = version
        model.saves[index].version = moved
      }
      let isRolledBack = wasUntouched && model.current.form != base.form
      model.current = isRolledBack ? follow(theirs, base.form) : move(model.current)
      return parts(listed).filter {
        conflicts.contains($0.keyPath) && $0.read(model.current.form) != $0.read(theirs)
      }.map(\.keyPath)
    }

    /// A unit of merging: a listed member, or all other members together.
    private struct Part {
      var keyPath: PartialKeyPath<Form>
      var members: [Member]

      func read(_ form: Form) -> [[Int]] {
        members.map { $0 == .name ? [form.name] : $0 == .size ? [form.size] : form.tags }
      }

      func take(_ source: Form, _ target: inout Form) {
        if members.contains(.name) { target.name = source.name }
        if members.contains(.size) { target.size = source.size }
        if members.contains(.tags) { target.tags = source.tags }
      }
    }

    private func parts(_ listed: Set<Member>) -> [Part] {
      let keyPaths: [PartialKeyPath<Form>] = [\.name, \.size, \.tags]
      return [Part(keyPath: \.self, members: Member.allCases.filter { !listed.contains($0) })]
        + zip(keyPaths, Member.allCases).filter { listed.contains($1) }.map { Part(keyPath: $0, members: [$1]) }
    }

    private func check() {
      let (original, current) = (model.original, model.current)
      let newest = model.saves.last?.version ?? original
      expectEqual(value.current, current.form)
      expectEqual(value.original, original.form)
      expectEqual(value.isTouched, current.stamp != original.stamp, "isTouched")
      expectEqual(value.isDirty, current.form != original.form, "isDirty")
      expectEqual(value.needsSave, current.form != newest.form, "needsSave")
      expectEqual(needsSaveInGenericCode(value), value.needsSave)
      expectEqual(value.updated, current.stamp == original.stamp ? nil : current.form)
      expectEqual(value.isSaving, !model.saves.isEmpty)
      expectEqual(value.savesInFlight.map(\.id), model.saves.map(\.save.id))
      expectEqual(value.savesInFlight.map(\.value), model.saves.map(\.version.form))

      var changed: [PartialKeyPath<Form>] = []
      if current.form.tags != original.form.tags { changed.append(\.tags) }
      if current.form.name != original.form.name { changed.append(\.name) }
      expectEqual(value.changedKeyPaths(among: \.tags, \.name), changed)
      expectEqual(value.change(for: \.size)?.old, current.form.size == original.form.size ? nil : original.form.size)
      expectEqual(value.isDirty(\.tags[0]), current.form.tags[0] != original.form.tags[0])
    }

    private func needsSaveInGenericCode<Value>(_ value: Dirtyable<Value>) -> Bool { value.needsSave }
  }
}
