// Recognizes typing in a text that no cursor leads to, such as a value of a dictionary or the payload of an enum. Each
// typed letter replaces the whole value there. A mirror finds the one text in which the old and the new value differ.

import Sameness

/// The one text in which two values differ, and the way to it.
struct _UndoTyping {
  /// The indices of the children that lead to the text.
  private var path: [Int] = []
  private let old: String
  private let new: String

  /// Whether the change from `old` to `new` continues the typing that led from `first` to `old`.
  static func goesOn<Value>(from first: Value, over old: Value, to new: Value, _ joining: inout _UndoJoining) -> Bool {
    guard let next = _UndoTyping(from: old, to: new), let run = _UndoTyping(from: first, to: old), run.path == next.path
    else { return false }
    var delta = run.delta
    return delta.join(next.delta, &joining, offset: 0, in: next.new.contiguous)
  }

  /// Nil if the values differ in anything else, or not at all.
  private init?(from old: Any, to new: Any, depth: Int = 0) {
    if let old = Self.text(old), let new = Self.text(new) {
      if max(old.utf8.count, new.utf8.count) > _UndoTextSplice<UndoDocumentPlace<String>>.longestText { return nil }
      (self.old, self.new) = (old, new)
      return
    }
    guard depth <= _UndoWeight.deepest, type(of: old) == type(of: new), let mirror = _wholeMirror(of: old) else {
      return nil
    }
    let other = Mirror(reflecting: new)
    if mirror.children.count != other.children.count {
      // One case has the text as its payload, and the other has no payload, so its text counts as empty.
      guard let text = (mirror.children.first ?? other.children.first).flatMap({ Self.text($0.value) }) else {
        return nil
      }
      (path, self.old, self.new) = ([0], mirror.children.isEmpty ? "" : text, other.children.isEmpty ? "" : text)
      return
    }
    var only: (index: Int, typing: _UndoTyping)?
    for (index, (one, other)) in zip(mirror.children, other.children).enumerated() {
      guard one.label == other.label else { return nil }
      if _haveSameContents(one.value, other.value) { continue }
      guard only == nil, let typing = _UndoTyping(from: one.value, to: other.value, depth: depth + 1) else {
        return nil
      }
      only = (index, typing)
    }
    guard let (index, typing) = only else { return nil }
    (path, self.old, self.new) = ([index] + typing.path, typing.old, typing.new)
  }

  /// The record that this edit would have if the text had an address.
  private var delta: _UndoTextSplice<UndoDocumentPlace<String>> {
    let (start, newEnd, oldEnd) = String.differingUTF8(old, new)
    let other = old.contiguous.slice(utf8: start..<oldEnd)
    return _UndoTextSplice(UndoDocumentPlace(), start: start, count: newEnd - start, other: other)
  }

  /// The value as a text, or nil for any other type; a cast alone would also unwrap an optional text.
  private static func text(_ value: Any) -> String? {
    if type(of: value) == String.self { return value as? String }
    return type(of: value) == Substring.self ? (value as? Substring).map { String($0) } : nil
  }
}
