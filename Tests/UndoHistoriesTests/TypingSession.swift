import Foundation
import TestSupport

/// A text and the keys that an author presses in it.
///
/// Each key replaces some bytes at an offset by other text.
struct TypingSession {
  struct Key {
    /// The offset in UTF-8.
    var start: Int
    /// The number of UTF-8 bytes that are removed.
    var removed: Int
    var inserted: String

    func apply(to text: inout String) {
      let lower = text.utf8.index(text.startIndex, offsetBy: start)
      text.replaceSubrange(lower..<text.utf8.index(lower, offsetBy: removed), with: inserted)
    }
  }

  var start = ""
  var keys: [Key] = []
}

extension TypingSession {
  /// Creates a random session of typing, deleting in both directions, replacing words and pasting.
  ///
  /// It uses few letters, so that equal letters are often next to each other.
  init(
    _ random: inout SeededRandom, keyCount: Int, over start: String? = nil,
    letters: [String] = "aabcdeefghiillmnoopqrsstttuuvwxyz   ".map(String.init) + ["\n", "é", "👍🏽"]
  ) {
    self.start = start ?? (0..<60).map { _ in letters.randomElement(using: &random)! }.joined()
    var text = self.start
    func place(before offset: Int) -> Int {
      text.utf8.distance(
        from: text.startIndex,
        to: text.unicodeScalars.index(
          before: text.utf8.index(text.startIndex, offsetBy: offset)))
    }
    func place(after offset: Int) -> Int {
      text.utf8.distance(
        from: text.startIndex,
        to: text.unicodeScalars.index(
          after: text.utf8.index(text.startIndex, offsetBy: offset)))
    }
    var caret = 0
    func press(_ key: Key) {
      key.apply(to: &text)
      keys.append(key)
      caret = key.start + key.inserted.utf8.count
    }
    while keys.count < keyCount {
      // Moves the caret to a random offset.
      let scalars = text.unicodeScalars
      let index = scalars.index(scalars.startIndex, offsetBy: Int.random(in: 0...scalars.count, using: &random))
      caret = text.utf8.distance(from: text.startIndex, to: index)
      let run = Int.random(in: 4...30, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        for _ in 0..<run { press(Key(start: caret, removed: 0, inserted: letters.randomElement(using: &random)!)) }
      case 6, 7:
        for _ in 0..<run where caret > 0 {
          let before = place(before: caret)
          press(Key(start: before, removed: caret - before, inserted: ""))
        }
      case 8:
        for _ in 0..<run where caret < text.utf8.count {
          press(Key(start: caret, removed: place(after: caret) - caret, inserted: ""))
        }
      default:
        // Corrects a word, or pastes text over it.
        var end = caret
        for _ in 0..<3 where end < text.utf8.count { end = place(after: end) }
        press(Key(start: caret, removed: end - caret, inserted: "xyz" + letters.randomElement(using: &random)!))
      }
    }
  }

  /// Reads a published session, whose offsets count scalars.
  init(contentsOf url: URL) throws {
    struct Recording: Decodable {
      struct Change: Decodable { var patches: [Patch] }
      struct Patch: Decodable {
        var start: Int
        var removed: Int
        var inserted: String

        init(from decoder: any Decoder) throws {
          var fields = try decoder.unkeyedContainer()
          start = try fields.decode(Int.self)
          removed = try fields.decode(Int.self)
          inserted = try fields.decode(String.self)
        }
      }
      var startContent: String
      var txns: [Change]
    }
    let recording = try JSONDecoder().decode(Recording.self, from: Data(contentsOf: url))
    start = recording.startContent
    var text = start
    for patch in recording.txns.flatMap(\.patches) where patch.removed > 0 || !patch.inserted.isEmpty {
      let scalars = text.unicodeScalars
      let lower = scalars.index(scalars.startIndex, offsetBy: patch.start)
      let upper = scalars.index(lower, offsetBy: patch.removed)
      let key = Key(
        start: text.utf8.distance(from: text.startIndex, to: lower),
        removed: text.utf8.distance(from: lower, to: upper),
        inserted: patch.inserted)
      key.apply(to: &text)
      keys.append(key)
    }
  }
}
