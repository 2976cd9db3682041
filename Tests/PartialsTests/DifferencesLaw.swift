import Foundation
import Partials
import TestSupport
import XCTest

/// Everything that is stored in a value, as text, even if its `==` ignores it.
func storedText(of value: some Any) -> String {
  var text = ""
  dump(value, to: &text)
  return text
}

/// The encoded values as text, by schema name; names in a group have the group's name as a prefix.
func encodedTexts<Root: PartialSchemaProviding>(_ partial: Partial<Root>) throws -> [String: String] {
  let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(partial))
  let names = Set(Root.partialSchema.names)
  var texts: [String: String] = [:]
  func add(_ value: Any, _ name: String) throws {
    if !name.isEmpty, names.contains(name) {
      let data = try JSONSerialization.data(withJSONObject: [value], options: .sortedKeys)
      texts[name] = String(decoding: data, as: UTF8.self)
    } else if let group = value as? [String: Any] {
      for (key, value) in group { try add(value, name.isEmpty ? key : "\(name).\(key)") }
    }
  }
  try add(object, "")
  return texts
}

/// Checks that applying the differences has the effect of the edits, that there are no differences only if every value
/// reads as in the original, and that every named value that differs is sent.
///
/// - Parameter isRefused: Whether a value was set that differs and can't be applied.
func expectDifferencesToBeLawful<Root: PartialSchemaProviding>(
  of partial: Partial<Root>, over original: Root, isRefused: Bool = false, sent: [String: String]? = nil,
  file: StaticString = #filePath, line: UInt = #line
) throws {
  let differences = partial.differences
  var applied = original
  var expected = original
  let refused = partial.apply(to: &expected)
  let refusedDifferences = differences.apply(to: &applied)
  let (before, after) = (storedText(of: original), storedText(of: expected))
  expectEqual(storedText(of: applied), after, "the differences applied", file: file, line: line)
  if isRefused { expectEqual(Set(refusedDifferences), Set(refused), "the refused key paths", file: file, line: line) }
  expectEqual(differences.isEmpty, before == after && !isRefused, "differences", file: file, line: line)
  expectEqual(partial.isDirty, before != after || isRefused, "isDirty", file: file, line: line)
  let texts = try encodedTexts(differences)
  let (old, new) = (try encodedTexts(Partial(original)), try encodedTexts(Partial(expected)))
  for (name, text) in new where old[name] != text {
    expectEqual(texts[name], text, "\(name) is sent", file: file, line: line)
  }
  if let sent { expectEqual(texts, sent, "the sent values", file: file, line: line) }
}
