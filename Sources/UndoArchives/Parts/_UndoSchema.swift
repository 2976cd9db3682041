internal import UndoHistories

/// The named parts and the coder of each type in a document, looked up once, and the names of all parts as bytes.
///
/// This folder finds the parts of a document by names that outlive an update of the app. Patches refer to parts by
/// number. So the bytes begin with the names that the numbers had when they were written (`_UndoNames`), and a reader
/// finds the parts that have these names now.
final class _UndoSchema {
  private var known: [ObjectIdentifier: _UndoParts] = [:]
  private var coders: [ObjectIdentifier: any _UndoCoder.Type] = [:]
  /// How fields without a named part are written; nil if the enclosing value is written instead.
  let fieldCoding: UndoPieceCoding?

  init(fields coding: UndoPieceCoding? = nil) { fieldCoding = coding }

  /// The parts that a type names.
  func parts(of type: any Codable.Type) -> _UndoParts {
    if let parts = known[ObjectIdentifier(type)] { return parts }
    func members<Named: UndoArchivable>(_ type: Named.Type) -> [_UndoPart] {
      Named.undoParts.map { _UndoPart(name: $0.name, bytes: $0.bytes, coder: coder(of: $0.type)) }
    }
    let parts = _UndoParts(all: (type as? any UndoArchivable.Type).map { members($0) } ?? [])
    known[ObjectIdentifier(type)] = parts
    return parts
  }

  /// The coder of a type, which is looked up once.
  func coder(of type: any Codable.Type) -> any _UndoCoder.Type {
    if let coder = coders[ObjectIdentifier(type)] { return coder }
    let coder = _undoCoder(of: type)
    coders[ObjectIdentifier(type)] = coder
    return coder
  }

  /// Writes the names of all parts of a document; patches refer to them by number.
  ///
  ///     | count | type | type | ... |        type: | count | part | part | ... |     part: | name:shape | type |
  ///
  /// The type of a part is counted from 1; 0 means a type without named parts.
  func writeNames(of root: any Codable.Type, to writer: inout _UndoWriter) {
    // Only the root may be a type without named parts.
    var types = [root]
    var next = 0
    while next < types.count {
      for part in parts(of: types[next]).all {
        let inner = part.coder.inner
        if !parts(of: inner).all.isEmpty, !types.contains(where: { $0 == inner }) { types.append(inner) }
      }
      next += 1
    }
    writer.write(types.count)
    for type in types {
      writer.write(parts(of: type).all.count)
      for part in parts(of: type).all {
        writer.write("\(part.name):\(part.coder.shape)")
        writer.write((types.firstIndex { $0 == part.coder.inner } ?? -1) + 1)
      }
    }
  }
}

/// The parts that a type names, counted from 1; 0 is the whole.
struct _UndoParts {
  let all: [_UndoPart]

  subscript(number: Int) -> _UndoPart { all[number - 1] }

  /// The number of the smallest part that contains these bytes; 0 for the whole.
  func number(around bytes: Range<Int>) -> Int {
    let around = all.indices.lazy.filter { index in
      all[index].bytes.lowerBound <= bytes.lowerBound && bytes.upperBound <= all[index].bytes.upperBound
    }
    return around.min { all[$0].bytes.count < all[$1].bytes.count }.map { $0 + 1 } ?? 0
  }

  /// The number of the part with exactly these bytes.
  func number(of bytes: Range<Int>) -> Int? { all.firstIndex { $0.bytes == bytes }.map { $0 + 1 } }

  /// The number of the part of a name.
  func number(of name: String) -> Int? { all.firstIndex { $0.name == name }.map { $0 + 1 } }
}

/// The names of types and parts by their numbers in some bytes.
struct _UndoNames {
  struct Part {
    let name: String
    /// How its values are written.
    let shape: Substring
    /// The index of its type, counted from 1.
    let type: Int
  }

  let types: [[Part]]

  init() { types = [] }

  init(from reader: inout _UndoReader) throws {
    types = try reader.readAll { reader in
      try reader.readAll { reader in
        let text = try reader.readText()
        guard let colon = text.lastIndex(of: ":") else { throw reader.damage }
        return Part(
          name: String(text[..<colon]), shape: text[colon...].dropFirst(), type: try reader.readCount())
      }
    }
    guard types.allSatisfy({ $0.allSatisfy { $0.type <= types.count } }), !types.isEmpty else { throw reader.damage }
  }

  /// A part by the index of its type, counted from 1, and its number in that.
  func part(_ number: Int, of type: Int) -> Part? {
    type > 0 && number > 0 && number <= types[type - 1].count ? types[type - 1][number - 1] : nil
  }
}
