import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Archives as bytes: how many bytes steps take, and which bytes are refused.
final class UndoPatchSequenceTests: XCTestCase {
  // MARK: Bytes

  /// The names of a text's parts, which precede its steps.
  private let names: [UInt8] = [1, 1, 6] + Array("text:s".utf8) + [1]
  /// The heads of a step with one edit, and of an edit of the first part.
  private let (step, part): (UInt8, UInt8) = (1 << 5, 1 << 2)

  private func goes(_ count: UInt8) -> UInt8 { count << 2 | 1 }
  private func comes(_ count: UInt8) -> UInt8 { count << 2 | 2 }
  private func isReplaced(_ count: UInt8) -> UInt8 { count << 2 | 3 }

  private func steps<Value: UndoArchivable>(_ history: UndoHistory<Value>) throws -> [UInt8] {
    let bytes = try history.archive().bytes(.json)
    // The version, no pieces, the document's digest, and the other digests by which it is recognized.
    XCTAssertEqual(Array(bytes.prefix(2)), [1, 0])
    var rest = bytes.dropFirst(2)
    func skipNumber() { rest = rest.drop { $0 >= 0x80 }.dropFirst() }
    skipNumber()
    let count = try XCTUnwrap(rest.popFirst())
    skipNumber()
    for _ in 1..<count {
      let length = Int(try XCTUnwrap(rest.popFirst()))
      rest = rest.dropFirst(length)
      skipNumber()
    }
    // No branches, no origins, and the digest of everything.
    rest.removeLast()
    while let last = rest.last, last >= 0x80 { rest.removeLast() }
    XCTAssertEqual(Array(rest.suffix(2)), [0, 0])
    return Array(rest.dropLast(2))
  }

  func testStepThatContinuesATextEditTakesAFewBytes() throws {
    var history = UndoHistory(initialValue: "")
    for word in ["a", "bcd", "é"] { history.transaction { $0.append(word) } }
    history.transaction { $0.replaceSubrange(utf8: 1..<3, with: "x") }
    history.transaction { $0.removeSubrange(utf8: 2..<5) }
    history.undo()
    var expected = names + [1, 0, 4]
    expected += [step, part, 2, 1, 1, 2, 0x62, 0x63]
    // After bc there are d and é.
    expected += [goes(2), 6, goes(3), 0, goes(1), 0]
    expected += [1, goes(3), 10]
    XCTAssertEqual(try steps(history), expected)

    history.go(to: .step(0))
    expected = names + [1, 0, 0, 5]
    expected += [step, part, 2, 0, 0, 1, 0x61]
    expected += [comes(3), 0, 0x62, 0x63, 0x64, comes(2), 0, 0xc3, 0xa9]
    // Before é, and after x.
    expected += [isReplaced(2), 5, 1, 0x78, goes(3), 6]
    XCTAssertEqual(try steps(history), expected)
  }

  func testLabeledStepsAndStepsOfAnotherTextAreWrittenInFull() throws {
    var history = UndoHistory(initialValue: ["one", "two"])
    for index in [0, 0, 1, 1, 0] { history.transaction { $0[index].append("!") } }
    history.transaction("Label") { $0[0].append("?") }
    func full(_ index: UInt8, _ start: UInt8) -> [UInt8] { [part, 8, index, 1, 2, start, 1, 0] }
    var expected: [UInt8] = [2, 1, 11] + Array("elements:*s".utf8) + [2, 1, 6] + Array("text:s".utf8) + [2]
    expected += [1, 0, 6]
    expected += [step | 4, 5] + Array("Label".utf8) + full(0, 6) + [goes(1), 0]
    expected += [step] + full(1, 4) + [goes(1), 0]
    expected += [step] + full(0, 4) + [goes(1), 0]
    XCTAssertEqual(try steps(history), expected + [0])
  }

  func testEditsAtRandomOffsetsTakeLessThanFiveBytesBesidesTheirText() throws {
    var random = SeededRandom(seed: 7)
    var history = UndoHistory(initialValue: String(repeating: "some text ", count: 500))
    var removed = 0
    for _ in 0..<1000 {
      let (offset, count) = (random.int(in: 0..<2000), random.int(in: 0..<9))
      removed += count
      history.transaction { edit in
        edit.replaceSubrange(utf8: offset..<offset + count, with: random.chance(oneIn: 3) ? "" : "word")
      }
    }
    XCTAssertLessThan(try history.archive().bytes(.json).count - removed, 5 * history.undoCount)
  }

  // MARK: Reading

  func testEveryStateIsRestored() throws {
    try withSeeds(100) { random in
      let history = Self.recorded(&random)
      var archive = try history.archive(keepsWhole: true)
      if random.chance(oneIn: 2) {
        archive = try UndoHistory<Outline>.Archive(archive.bytes(.json), .json)
      } else {
        let file = try UndoPieceCoding.encoder.encode(archive)
        archive = try UndoPieceCoding.decoder.decode(UndoHistory<Outline>.Archive.self, from: file)
      }
      var restored = UndoHistory(initialValue: history.currentItem)
      restored.keepsBranches = history.keepsBranches
      restored.restoreOnUndo(\.caret)
      try restored.restore(archive)
      expectEqual(restored.undoCount, history.undoCount)
      expectEqual(restored.steps.map(\.label), history.steps.map(\.label))
      expectEqual(restored.steps.map(\.stepID), history.steps.map(\.stepID))
      expectEqual(restored.branches.map(\.label), history.branches.map(\.label))
      var original = history
      func check() { expectEqual(restored.currentItem, original.currentItem) }
      while original.undo() != nil, restored.undo() != nil { check() }
      while original.redo() != nil, restored.redo() != nil { check() }
      check()
    }
  }

  func testANewerVersionIsRefused() throws {
    var history = UndoHistory(initialValue: "")
    history.edit.append("x")
    var bytes = try history.archive().bytes(.json)
    XCTAssertEqual(bytes[0], 1)
    for (version, expected) in [(2, .newer(version: 2)), (0, .older(version: 0))] as [(UInt8, UndoFormError)] {
      bytes[0] = version
      XCTAssertThrowsError(try UndoHistory<String>.Archive(bytes, .json)) {
        XCTAssertEqual($0 as? UndoFormError, expected)
      }
    }
  }

  // MARK: Invalid bytes

  func testInvalidContinuationsOfATextEditAreRefused() throws {
    let letter = UInt8(ascii: "x")
    let first: [UInt8] = [2, step, part, 2, 1, 1, 0]
    let most: [UInt8] = [UInt8](repeating: 0xff, count: 9) + [1]
    let hostile: [[UInt8]] = [
      // No edit precedes it, or the edit before doesn't replace a range of a text.
      [1, goes(1), 0], [1, comes(1), 0, letter], [2, step, part, 0, 1, letter, goes(1), 0],
      // The removed range or the insertion lies before the text.
      first + [goes(3), 1], first + [comes(1), 5, letter],
      // Nothing is removed, or nothing is inserted.
      first + [goes(0), 0], first + [comes(0), 0], first + [isReplaced(0), 0, 1, letter],
      // The insertion is shorter than announced, or it isn't text.
      first + [comes(2), 0, letter], first + [comes(1), 0, 0xff], first + [isReplaced(1), 2, 5, letter],
      // Invalid distances and counts.
      first + [goes(1)] + most, first + [goes(1), 0xfe] + most.dropFirst(), first + most + [0],
      // A remote edit with a label, with meaningless bits, and without an identity.
      [1, step | 20, 1, letter, 1, 0, part, 2, 0, 0, 0], [1, step | 16, 1, 4, part, 2, 0, 0, 0],
      [1, step | 16, 1, 0, part, 2, 0, 0, 0],
    ]
    for steps in hostile {
      XCTAssertThrowsError(try UndoHistory<String>.Archive(archive(of: steps), .json), "\(steps)") { error in
        guard case UndoFormError.damaged = error else { return XCTFail("\(steps): \(error)") }
      }
    }
    // The same steps with valid numbers; some of the offsets lie beyond the text.
    for (steps, isFitting) in [
      (first + [goes(1), 2], true), (first + [comes(1), 0, letter], true),
      (first + [isReplaced(1), 2, 1, letter], true), (first + [goes(1), 20], false),
      (first + [comes(1), 20, letter], false),
    ] {
      var history = UndoHistory(initialValue: "abc")
      let archive = try UndoHistory<String>.Archive(archive(of: steps), .json).forged()
      if isFitting {
        XCTAssertNoThrow(try history.restore(archive), "\(steps)")
      } else {
        XCTAssertThrowsError(try history.restore(archive), "\(steps)") {
          XCTAssertEqual($0 as? UndoArchiveError, .damaged)
        }
      }
      XCTAssertEqual(history.undoCount, isFitting ? 2 : 0)
      XCTAssertEqual(history.currentItem, "abc")
    }
  }

  func testEditsOutsideTheDocumentAreRefused() throws {
    let (letter, seven) = (UInt8(ascii: "x"), UInt8(14))
    let largest = [UInt8](repeating: 0xff, count: 6) + [0x3f]
    func check<Value: UndoArchivable & Equatable>(_ edits: [[UInt8]], of document: Value) throws {
      for edit in edits {
        var history = UndoHistory(initialValue: document)
        let bytes = try archive(of: [1, step, part] + edit, document: document)
        let archive = try UndoHistory<Value>.Archive(bytes, .json).forged()
        XCTAssertThrowsError(try history.restoreSteps(from: archive), "\(edit)") {
          XCTAssertEqual($0 as? UndoArchiveError, .damaged, "\(edit)")
        }
        XCTAssertEqual(history.currentItem, document)
        XCTAssertEqual([history.undoCount, history.redoCount], [0, 0])
      }
    }
    let ranges: [[UInt8]] = [[4, 0], [2, 2], largest + [1], [1] + largest, largest + largest]
    try check(ranges.map { [2] + $0 + [1, letter] }, of: "abc")
    // Inside a character.
    try check([[2, 1, 0, 1, letter]], of: "éa")
    try check(ranges.map { [2] + $0 + [1, seven] }, of: [1, 2, 3])
    try check([[3, 4, seven], [4, 3], [6, 0, 3], [6, 3, 0], [7, 3, 0], [7, 0, 3]], of: [1, 2, 3])
    try check([[3] + largest + [seven], [4] + largest, [6, 0] + largest, [7, 0] + largest], of: [1, 2, 3])
  }

  func testSavedPointThatDoesNotExistIsIgnored() throws {
    for saved: UInt8 in [3, 0x7f] {
      var history = UndoHistory(initialValue: "abc")
      let bytes = try archive(of: [1, step, part, 2, 0, 1, 1, UInt8(ascii: "x")], saved: saved)
      try history.restoreSteps(from: UndoHistory<String>.Archive(bytes, .json).forged())
      XCTAssertTrue(history.isDirty)
      history.undo()
      XCTAssertEqual(history.currentItem, "xbc")
      XCTAssertTrue(history.isDirty)
    }
  }

  /// An archive of the document abc with these undo steps, and without a valid digest.
  private func archive(of undo: [UInt8], saved: UInt8 = 0) throws -> [UInt8] {
    try archive(of: undo, saved: saved, document: "abc")
  }

  private func archive<Value: UndoArchivable>(
    of undo: [UInt8], saved: UInt8 = 0, document: Value
  ) throws -> [UInt8] {
    let history = UndoHistory(initialValue: document)
    let bytes = try history.archive().bytes(.json)
    let digest = bytes.dropFirst(2).prefix { $0 >= 0x80 }.count + 1
    // After the names come the saved point, the restored values, and no steps in either direction; then no branches, no
    // origins, and a digest.
    let names = Array(try self.steps(history).dropLast(4))
    return Array(bytes.prefix(2 + digest)) + [0] + names + [saved, 0] + undo + [0, 0, 0, 0]
  }

  /// Bytes are cut off, changed or added anywhere, often in the branches and origins at the end: errors are typed, and
  /// whatever is read can be undone, redone and reached.
  func testHostileBytesAreRefusedOrHarmless() throws {
    let (refusals, restorations) = (Counter(), Counter())
    try withSeeds(40) { random in
      let history = Self.recorded(&random)
      let bytes = try history.archive(keepsWhole: true).bytes(.json)
      for number in 0..<60 {
        var hostile = bytes
        switch number {
        case 0: hostile = (0..<random.int(in: 0..<80)).map { _ in UInt8(random.int(in: 0..<256)) }
        case 1..<20: hostile.removeSubrange(random.int(in: 0..<hostile.count)...)
        case 20..<40: hostile[random.int(in: 0..<hostile.count)] ^= 1 << UInt8(random.int(in: 0..<8))
        default:
          for _ in 0..<random.int(in: 1..<4) {
            let isNearTheEnd = random.chance(oneIn: 2)
            let index = random.int(in: (isNearTheEnd ? max(0, hostile.count - 70) : 0)..<hostile.count)
            switch random.int(in: 0..<3) {
            case 0: hostile[index] = UInt8(random.int(in: 0..<256))
            case 1: hostile.remove(at: index)
            default: hostile.insert(UInt8(random.int(in: 0..<256)), at: index)
            }
          }
        }
        let archive: UndoHistory<Outline>.Archive
        do throws(UndoFormError) { archive = try UndoHistory<Outline>.Archive(hostile, .json) } catch {
          refusals.next()
          continue
        }
        var restored = UndoHistory(initialValue: history.currentItem)
        restored.keepsBranches = true
        restored.restoreOnUndo(\.caret)
        do { try restored.restore(archive.forged()) } catch {
          expect(error is UndoArchiveError, "\(error)")
          expectEqual(restored.undoCount, 0)
          continue
        }
        restorations.next()
        expectEqual(restored.currentItem, history.currentItem)
        for origin in ["agent", nil] as [UndoOrigin?] {
          restored.undo(by: origin)
          restored.redo(by: origin)
        }
        for id in restored.steps.map(\.stepID) { if let id { restored.undo(step: id) } }
        while restored.undo() != nil {}
        while restored.redo() != nil {}
        for leaf in restored.branches { expect(restored.go(to: leaf)) }
      }
    }
    print("\(refusals.count) hostile archives were refused, and \(restorations.count) restored")
    XCTAssertTrue(refusals.isUsed)
    XCTAssertTrue(restorations.isUsed)
  }

  /// A history with texts of several parts and elements, labels, restored values, origins, branches and remote edits.
  private static func recorded(_ random: inout SeededRandom) -> UndoHistory<Outline> {
    var history = UndoHistory(initialValue: Outline(title: "title"))
    if random.chance(oneIn: 2) { history.keepsBranches = true }
    history.restoreOnUndo(\.caret)
    for _ in 0..<random.int(in: 1..<40) {
      switch random.int(in: 0..<12) {
      case 0: history.undo()
      case 1: history.redo()
      case 2: history.transaction("label") { edit in for _ in 0..<3 { edit.editNamed(&random) } }
      case 3: history.edit.caret = random.int(in: 0..<9)
      case 4: history[as: "agent"].editNamed(&random)
      case 5: history.applyRemote(saved: random.chance(oneIn: 2)) { $0.editNamed(&random) }
      case 6: history.markSaved()
      case 7: history.edit.title.insert("word", atUTF8: 0)
      default: history.edit.editNamed(&random)
      }
    }
    return history
  }
}
