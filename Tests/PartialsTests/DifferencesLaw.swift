import Foundation
import Partials
import TestSupport
import XCTest

/// All that is stored in a value, as text: unlike `==`, it leaves nothing out.
func storedText(of value: some Any) -> String {
  var text = ""
  dump(value, to: &text)
  return text
}

/// What is encoded, as text under names; those in groups have the name of the group before them.
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

/// Checks that the differences do what the edits do, that there are none only where nothing reads otherwise, and that
/// all is sent that has a name and reads otherwise.
///
/// - Parameter isRefused: Whether something was set that reads otherwise and cannot be applied.
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
  if isRefused { expectEqual(Set(refusedDifferences), Set(refused), "what is refused", file: file, line: line) }
  expectEqual(differences.isEmpty, before == after && !isRefused, "differences", file: file, line: line)
  expectEqual(partial.isDirty, before != after || isRefused, "isDirty", file: file, line: line)
  let texts = try encodedTexts(differences)
  let (old, new) = (try encodedTexts(Partial(original)), try encodedTexts(Partial(expected)))
  for (name, text) in new where old[name] != text {
    expectEqual(texts[name], text, "\(name) is sent", file: file, line: line)
  }
  if let sent { expectEqual(texts, sent, "what is sent", file: file, line: line) }
}
