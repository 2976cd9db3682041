import Foundation

/// A Markdown page, or the doc comments of a source file, read as Markdown.
///
/// Line numbers refer to the file, so that problems can be reported with their location.
struct Document: Sendable {
  /// A fenced block of code.
  struct Block: Sendable {
    var path: String
    /// The number of the code's first line.
    var line: Int
    var language: Substring
    var code: String
  }

  /// A problem in a document, and its location.
  struct Problem: CustomStringConvertible, Sendable {
    var path: String
    var line: Int
    var message: String

    var description: String { "\(path):\(line): \(message)" }
  }

  /// The path relative to the checkout.
  let path: String
  private(set) var blocks: [Block] = []
  /// The lines outside blocks of code, with their numbers.
  private(set) var prose: [(line: Int, text: Substring)] = []
  /// Every line of documentation, including code.
  private(set) var lines: [(line: Int, text: Substring)] = []
  /// The fences that are not closed.
  private(set) var problems: [Problem] = []

  init(path: String, text: String) {
    self.path = path
    var open: (fence: Substring, block: Block)?
    for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      guard let line = path.hasSuffix(".swift") ? Self.docComment(raw) : raw else {
        close(open?.block)
        open = nil
        continue
      }
      lines.append((number, line))
      guard let (fence, language) = Self.fence(line) else {
        if open == nil { prose.append((number, line)) } else { open?.block.code += line + "\n" }
        continue
      }
      if let current = open {
        if language.isEmpty, fence.hasPrefix(current.fence) {
          blocks.append(current.block)
          open = nil
        } else {
          open?.block.code += line + "\n"
        }
      } else {
        open = (fence, Block(path: path, line: number + 1, language: language, code: ""))
      }
    }
    close(open?.block)
  }

  /// Whether this is a page of a documentation catalog.
  var isArticle: Bool { path.contains(".docc/") }

  /// The examples to compile.
  ///
  /// The blocks of each part of an article form one script; any other block is a script of its own.
  var scripts: [[Block]] {
    let examples = blocks.filter { $0.language == "swift" }
    guard isArticle else { return examples.map { [$0] } }
    let parts = Dictionary(grouping: examples) { part(of: $0) }
    return parts.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The number of an article's part that has a block: the headings of level two after the first one begin new parts.
  private func part(of block: Block) -> Int {
    max(prose.count { $0.line < block.line && $0.text.hasPrefix("## ") }, 1)
  }

  /// The anchors of the headings, spelled as GitHub spells them.
  var anchors: Set<String> {
    var anchors: Set<String> = []
    for (_, text) in prose {
      guard let heading = text.wholeMatch(of: /#{1,6} +(.+?) *#*/)?.1 else { continue }
      let visible = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
      let place = String(
        visible.lowercased().compactMap { character in
          character == " "
            ? "-" : character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
        })
      var unique = place
      var repetition = 1
      while !anchors.insert(unique).inserted {
        unique = "\(place)-\(repetition)"
        repetition += 1
      }
    }
    return anchors
  }

  private mutating func close(_ block: Block?) {
    guard let block else { return }
    problems.append(Problem(path: path, line: block.line - 1, message: "error: nothing closes this block of code"))
  }

  /// The text of a `///` line, or nil if the line is code.
  private static func docComment(_ line: Substring) -> Substring? {
    let text = line.drop { $0 == " " || $0 == "\t" }
    guard text.hasPrefix("///") else { return nil }
    return text.hasPrefix("/// ") ? text.dropFirst(4) : text.dropFirst(3)
  }

  /// The marks and the language of a line that opens or closes a block.
  private static func fence(_ line: Substring) -> (marks: Substring, language: Substring)? {
    // Few lines begin like a fence, and matching all of them would take seconds.
    guard let first = line.first(where: { !$0.isWhitespace }), "`~".contains(first) else { return nil }
    guard let match = line.wholeMatch(of: /\s*(`{3,}|~{3,})\s*([^`\s]*)[^`]*/) else { return nil }
    return (match.1, match.2)
  }
}
