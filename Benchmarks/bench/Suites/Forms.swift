import Dirtyables

// The values that the suites of Dirtyable and Draft edit.

/// A form of 16 bytes.
struct SmallForm: Equatable, Sendable {
  var count = 0
  var age = 42.0
}

/// A form of forty strings, 640 bytes.
///
/// Each is too long to be stored inline, so a copy has to retain forty references.
struct LargeForm: Equatable, Sendable {
  var f0 = LargeForm.text(0), f1 = LargeForm.text(1), f2 = LargeForm.text(2), f3 = LargeForm.text(3)
  var f4 = LargeForm.text(4), f5 = LargeForm.text(5), f6 = LargeForm.text(6), f7 = LargeForm.text(7)
  var f8 = LargeForm.text(8), f9 = LargeForm.text(9), f10 = LargeForm.text(10), f11 = LargeForm.text(11)
  var f12 = LargeForm.text(12), f13 = LargeForm.text(13), f14 = LargeForm.text(14), f15 = LargeForm.text(15)
  var f16 = LargeForm.text(16), f17 = LargeForm.text(17), f18 = LargeForm.text(18), f19 = LargeForm.text(19)
  var f20 = LargeForm.text(20), f21 = LargeForm.text(21), f22 = LargeForm.text(22), f23 = LargeForm.text(23)
  var f24 = LargeForm.text(24), f25 = LargeForm.text(25), f26 = LargeForm.text(26), f27 = LargeForm.text(27)
  var f28 = LargeForm.text(28), f29 = LargeForm.text(29), f30 = LargeForm.text(30), f31 = LargeForm.text(31)
  var f32 = LargeForm.text(32), f33 = LargeForm.text(33), f34 = LargeForm.text(34), f35 = LargeForm.text(35)
  var f36 = LargeForm.text(36), f37 = LargeForm.text(37), f38 = LargeForm.text(38), f39 = LargeForm.text(39)

  static func text(_ number: Int) -> String { "the text of field number \(number)" }

  /// Thirty of the forty fields, as a list for merging.
  static let fields = Dirtyable<LargeForm>.Fields(
    \.f0, \.f1, \.f2, \.f3, \.f4, \.f5, \.f6, \.f7, \.f8, \.f9, \.f10, \.f11, \.f12, \.f13, \.f14, \.f15,
    \.f16, \.f17, \.f18, \.f19, \.f20, \.f21, \.f22, \.f23, \.f24, \.f25, \.f26, \.f27, \.f28, \.f29)

  /// The same thirty fields, as key paths for merging by hand.
  nonisolated(unsafe) static let keyPaths: [WritableKeyPath<LargeForm, String>] = [
    \.f0, \.f1, \.f2, \.f3, \.f4, \.f5, \.f6, \.f7, \.f8, \.f9, \.f10, \.f11, \.f12, \.f13, \.f14, \.f15,
    \.f16, \.f17, \.f18, \.f19, \.f20, \.f21, \.f22, \.f23, \.f24, \.f25, \.f26, \.f27, \.f28, \.f29,
  ]
}

/// Two edited versions of a form: each side edited one field alone, and both edited a third.
struct Sides {
  let base = LargeForm()
  var mine = LargeForm()
  var theirs = LargeForm()

  init() {
    mine.f2 = "a text of mine, long enough for the heap"
    mine.f20 = "another text of mine, as long"
    theirs.f11 = "a text of theirs, long enough too"
    theirs.f20 = "another text of theirs, as long"
  }

  func mergedByHand() -> (merged: LargeForm, conflicts: [PartialKeyPath<LargeForm>]) {
    var merged = mine
    var conflicts: [PartialKeyPath<LargeForm>] = []
    for keyPath in unsafe LargeForm.keyPaths {
      let (was, my, their) = (base[keyPath: keyPath], mine[keyPath: keyPath], theirs[keyPath: keyPath])
      if my == was {
        merged[keyPath: keyPath] = their
      } else if their != was, their != my {
        conflicts.append(keyPath)
      }
    }
    return (merged, conflicts)
  }
}

/// A form with a large array.
struct ListForm: Equatable, Sendable {
  var name = "list"
  var items: [Int]
}

/// The post's design: the original and an optional update, both as whole values.
@dynamicMemberLookup
struct PostDirtyable<Value> {
  private(set) var original: Value
  private(set) var updated: Value?

  init(_ value: Value) {
    original = value
  }

  var current: Value { updated ?? original }
  var isDirty: Bool { updated != nil }

  subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Member {
    get {
      if let updated { updated[keyPath: keyPath] } else { original[keyPath: keyPath] }
    }
    set {
      if updated == nil { updated = original }
      updated?[keyPath: keyPath] = newValue
    }
  }

  mutating func commit() {
    original = current
    updated = nil
  }
}
