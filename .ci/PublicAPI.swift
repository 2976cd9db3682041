import Foundation

/// Prints the public API in some symbol graphs as a page: each type with its conformances and members, all sorted.
///
/// `.ci/documentation` runs it. It fails if a symbol isn't documented, or if there are too many symbols.
@main
enum PublicAPI {
  static func main() throws {
    var symbols: [SymbolGraph.Symbol] = []
    var relationships: [SymbolGraph.Relationship] = []
    for path in CommandLine.arguments.dropFirst() {
      let graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(filePath: path)))
      symbols += graph.symbols.filter(\.isPublic)
      relationships += graph.relationships
    }
    let required = requirements(of: symbols, by: relationships)
    let listed = symbols.filter { !required.contains($0.identifier.precise) }
    let page = Page(symbols: listed, conformances: relationships.filter { $0.kind == "conformsTo" })
    print(page.text)

    let own = symbols.filter { !$0.isExtension }
    let undocumented = own.filter { !$0.isDocumented }.map(\.name).sorted()
    for name in undocumented { complain("error: not documented: \(name)") }
    complain("\(own.count - undocumented.count) of \(own.count) public symbols are documented")
    let more = listed.filter { !$0.isExtension }
    let names = Set(more.map { $0.name.split(separator: "(")[0] })
    complain("\(more.count) of them are more than what a conformance requires, under \(names.count) names")
    if more.count > mostSymbols { complain("error: there may be \(mostSymbols): hide or merge others first") }
    if own.isEmpty || !undocumented.isEmpty || more.count > mostSymbols { exit(1) }
  }

  /// The maximum number of public symbols.
  ///
  /// Names of 0.1.0 are 639. Intents of edits take five more, identities that a reducer supplies for open steps and for
  /// branches two, rules for fields of forms fourteen, the bridge for text views fourteen, and restored positions six.
  /// Undecodable changes of an outbox take six, outcomes six, and its migration, its pause by the server and its calls
  /// inside of `send` one each. Moving sessions, their lists and writing in place take fourteen.
  private static let mostSymbols = 709

  /// The symbols that a protocol of another module requires of a type, such as `==` and the indices of a collection.
  ///
  /// The page leaves them out, because it lists the conformances.
  private static func requirements(
    of symbols: [SymbolGraph.Symbol], by relationships: [SymbolGraph.Relationship]
  ) -> Set<String> {
    let own = Set(symbols.map(\.identifier.precise))
    return Set(
      relationships.compactMap { relationship in
        guard let origin = relationship.sourceOrigin, !own.contains(origin.identifier) else { return nil }
        return relationship.source
      })
  }

  private static func complain(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}

/// The part of the symbol graph format that the page needs.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Kind: Decodable { var identifier: String }
    struct Identifier: Decodable { var precise: String }
    struct Fragment: Decodable { var spelling: String }
    struct Generics: Decodable { var constraints: [Constraint]? }
    struct Location: Decodable { var uri: String }
    struct DocComment: Decodable {
      struct Line: Decodable { var text: String }
      var lines: [Line]
    }

    var kind: Kind
    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]
    var docComment: DocComment?
    var swiftExtension: Generics?
    var swiftGenerics: Generics?
    var location: Location?
  }

  struct Constraint: Decodable, Hashable {
    var kind: String
    var lhs: String
    var rhs: String
  }

  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var targetFallback: String?
    var swiftConstraints: [Constraint]?
    /// The requirement of a protocol that the source implements and inherits its documentation from.
    var sourceOrigin: Origin?

    struct Origin: Decodable { var identifier: String }
  }

  var symbols: [Symbol]
  var relationships: [Relationship]
}

extension SymbolGraph.Symbol {
  /// Whether this is declared in the sources, or is an extension, and no part of its name begins with an underscore.
  var isPublic: Bool { (location != nil || isExtension) && !pathComponents.contains { $0.hasPrefix("_") } }

  /// Whether this is an extension of another module's type.
  var isExtension: Bool { kind.identifier == "swift.extension" }

  /// Whether this has its own heading on the page, with members and conformances below it.
  var hasHeading: Bool {
    pathComponents.count == 1
      || ["swift.actor", "swift.class", "swift.enum", "swift.extension", "swift.protocol", "swift.struct"]
        .contains(kind.identifier)
  }

  var isDocumented: Bool { docComment?.lines.contains { !$0.text.isEmpty } == true }

  var name: String { pathComponents.joined(separator: ".") }

  /// The constraints of this type, and those of the extension that declares it.
  var constraints: [SymbolGraph.Constraint] { (swiftExtension?.constraints ?? []) + (swiftGenerics?.constraints ?? []) }

  /// The declaration in one line, with the constraints of its extension that aren't known yet.
  func declaration(known: Set<SymbolGraph.Constraint>) -> String {
    let spelled = declarationFragments.map(\.spelling).joined().split { $0.isWhitespace }.joined(separator: " ")
      .replacing(" : ", with: ": ")
    let demanded = isExtension ? "" : clause(swiftExtension?.constraints, known)
    return spelled + (spelled.contains(" where ") ? demanded.replacing(" where ", with: ", ") : demanded)
  }
}

/// A `where` clause; empty if all of its constraints are known.
func clause(_ constraints: [SymbolGraph.Constraint]?, _ known: Set<SymbolGraph.Constraint>) -> String {
  let said = (constraints ?? []).filter { !known.contains($0) && !["Copyable", "Escapable"].contains($0.rhs) }
    .map { $0.lhs + ($0.kind == "sameType" ? " == " : ": ") + $0.rhs }
  return said.isEmpty ? "" : " where " + said.sorted().joined(separator: ", ")
}

/// The Markdown page that lists the public API.
struct Page {
  /// A type with its conformances and its members, without its nested types.
  private struct Entry {
    var name: String
    var declarations: [String] = []
    /// The `where` clauses of the conformances to each protocol.
    var conformances: [String: Set<String>] = [:]
    /// The names of the members, with their declarations.
    var members: [(String, String)] = []
    var isExtension = false

    var text: String {
      // A Hashable conformance implies an Equatable one, so the page leaves that out.
      let implied = conformances["Hashable"] ?? []
      let protocols = conformances.flatMap { name, clauses in
        (name == "Equatable" ? clauses.subtracting(clauses.count > 1 ? implied : []) : clauses).map { ": \(name)\($0)" }
      }
      let lines = [declarations.sorted(), protocols.sorted(), members.sorted(by: <).map(\.1)]
      return "## \(isExtension ? "extension " : "")\(name)\n\n```text\n"
        + lines.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n```\n"
    }
  }

  private let entries: [Entry]

  /// Conformances that follow from other ones, or that every type has.
  private static let implied: Set<String> = ["Copyable", "Escapable", "SendableMetatype"]

  init(symbols: [SymbolGraph.Symbol], conformances: [SymbolGraph.Relationship]) {
    let names = Dictionary(symbols.map { ($0.identifier.precise, $0.name) }) { first, _ in first }
    let demands = symbols.filter(\.hasHeading).reduce(into: [:]) { $0[$1.name, default: []] += $1.constraints }
    // The constraints of a type, and those of the types around it, aren't repeated for its members.
    func known(in name: String) -> Set<SymbolGraph.Constraint> {
      let parts = name.split(separator: ".")
      return Set(parts.indices.flatMap { demands[parts[...$0].joined(separator: ".")] ?? [] })
    }
    var entries: [String: Entry] = [:]
    for symbol in symbols {
      let container = symbol.pathComponents.dropLast().joined(separator: ".")
      let declaration = symbol.declaration(known: known(in: container))
      if symbol.hasHeading {
        entries[symbol.name, default: Entry(name: symbol.name)].declarations.append(declaration)
        entries[symbol.name]?.isExtension = symbol.isExtension
      } else {
        entries[container, default: Entry(name: container)].members
          .append((symbol.pathComponents.last ?? "", declaration))
      }
    }
    for conformance in conformances {
      let target = names[conformance.target] ?? conformance.targetFallback ?? conformance.target
      let plain = target.split(separator: ".").last.map(String.init) ?? target
      guard let source = names[conformance.source], !plain.hasPrefix("_"), !Self.implied.contains(plain) else {
        continue
      }
      // Other conformances of another module's type don't come from this package.
      if entries[source]?.isExtension == true, names[conformance.target] == nil { continue }
      entries[source]?.conformances[plain, default: []].insert(clause(conformance.swiftConstraints, known(in: source)))
    }
    self.entries = entries.values.sorted { ($0.isExtension ? 1 : 0, $0.name) < ($1.isExtension ? 1 : 0, $1.name) }
  }

  var text: String {
    """
    # The public API

    Every public symbol of the package, each type with its conformances and its members. What a conformance to a protocol
    of the standard library requires, such as `==` or the indices of a collection, is not listed again. Nor are overloads
    that are there for speed, or for generic code, and do the same. `.ci/documentation` makes this page of what the
    compiler knows, and fails where the two differ; `.ci/documentation --update` writes it anew. Names that begin with an
    underscore are not public API. What each symbol does stands in its documentation comment, beside the code and
    in the DocC archive that `.ci/documentation` makes; [the articles](README.md#to-use-it) show how they work together.
    That a type cannot be copied is not said here, since the compiler does not tell: `UndoCursor` and
    `UndoLiveEdit` cannot. The identity of a save isn't listed, because `Identifiable` requires it; make one by
    `init(rawValue:)`. `HistoryUndoManager`, `HistoryTextViewDelegate` and `UndoDriver.register(with:)` aren't
    listed either, because the page is made on Linux, and only Apple's systems have them.

    \(entries.map(\.text).joined(separator: "\n"))
    """
  }
}
