import Foundation

/// The links and paths in some documents.
struct Links {
  private let documents: [Document]
  private let anchors: [String: Set<String>]

  init(in documents: [Document]) {
    self.documents = documents
    anchors = Dictionary(uniqueKeysWithValues: documents.map { ($0.path, $0.anchors) })
  }

  /// The links, anchors and paths that don't resolve, and the paths that exist only on one machine.
  var problems: [Document.Problem] {
    documents.flatMap { document in
      let broken = document.prose.flatMap { line, text in
        let links = Self.targets(in: text).compactMap { problem(of: $0, in: document) }
        let paths = Self.paths(in: text).filter { !Checkout.contains($0) }.map { "no such path: \($0)" }
        return (links + paths).map { (line, $0) }
      }
      let machine = document.lines.flatMap { line, text in
        Self.machinePaths(in: text).map { (line, "a path of one machine: \($0)") }
      }
      return (broken + machine).map { line, message in
        Document.Problem(path: document.path, line: line, message: "error: \(message)")
      }
    }
  }

  /// The files that a document links to, as paths in the checkout.
  static func files(linkedFrom document: Document) -> Set<String> {
    let links = document.prose.flatMap { targets(in: $0.text) }
    return Set(
      links.compactMap { link in
        article(link, in: document)
          ?? (link.contains(":") ? nil : resolve(link.prefix { $0 != "#" }, in: document))
      })
  }

  private func problem(of target: Substring, in document: Document) -> String? {
    if let article = Self.article(target, in: document) {
      return document.isArticle && anchors[article] != nil ? nil : "no such article: \(target)"
    }
    if let scheme = target.prefixMatch(of: /([a-z]+):/)?.1 {
      return ["https", "mailto"].contains(scheme) ? nil : "not a link to follow: \(target)"
    }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts[0].isEmpty ? document.path : Self.resolve(parts[0], in: document) else {
      return "a link out of the package: \(target)"
    }
    guard anchors[path] != nil || Checkout.contains(path) else { return "no such file: \(target)" }
    guard parts.count == 2 else { return nil }
    return anchors[path]?.contains(String(parts[1])) == true ? nil : "no such heading: \(target)"
  }

  /// The path of the article that a DocC link names, or nil for another kind of target.
  private static func article(_ target: Substring, in document: Document) -> String? {
    guard target.hasPrefix("doc:") else { return nil }
    return resolve(target.dropFirst(4).prefix { $0 != "#" } + ".md", in: document)
  }

  /// The path of a target relative to the checkout, or nil if it is outside.
  private static func resolve(_ target: Substring, in document: Document) -> String? {
    var path = document.path.split(separator: "/").dropLast()
    for component in target.split(separator: "/") where component != "." {
      if component != ".." { path.append(component) } else if path.popLast() == nil { return nil }
    }
    return path.joined(separator: "/")
  }

  /// The targets of inline links, images, link definitions, HTML attributes and links to articles.
  private static func targets(in line: Substring) -> [Substring] {
    guard line.contains("](") || line.contains("]:") || line.contains("=\"") || line.contains("<doc:") else {
      return []
    }
    let text = line.replacing(/`[^`]*`/, with: "")
    return text.matches(of: /\]\(<?([^)>\s]+)>?(?:\s+"[^"]*")?\)/).map(\.1)
      + text.matches(of: /(?:^\(?|[^(]|[^\]]\()<(doc:[^>\s]+)>/).map(\.1)
      + text.matches(of: /^\s*\[[^\]]+\]:\s*<?([^>\s]+)/).map(\.1)
      + text.matches(of: /(?:href|src|srcset)="([^"\s]+)"/).map(\.1)
  }

  /// The code spans that are paths in this package: they begin with one of its folders and a slash, and have no
  /// placeholder.
  private static func paths(in text: Substring) -> [String] {
    guard text.utf8.contains(UInt8(ascii: "`")) else { return [] }
    return text.matches(of: /`([^`]+)`/).map { String($0.1) }.filter { span in
      guard let folder = span.split(separator: "/", maxSplits: 1).first, span.contains("/") else { return false }
      return Checkout.folders.contains(String(folder)) && !span.contains(/[\s<>*{}…]/)
    }
  }

  /// The paths in a home folder, or in the folder that contains this checkout.
  private static func machinePaths(in text: Substring) -> [Substring] {
    guard text.utf8.contains(UInt8(ascii: "/")) else { return [] }
    let folders = Set(["home", "Users", "root", "Volumes"] + Checkout.root.pathComponents.dropFirst().prefix(1))
    return text.matches(of: /(?:^|[^A-Za-z0-9_.-])(\/([A-Za-z0-9_]+)\/[^\s`"')]*)/)
      .filter { $0.2 != "tmp" && folders.contains(String($0.2)) }
      .map(\.1)
  }
}
