import Foundation

/// A recorded editing session: a text, and the edits that were made to it.
///
/// It is read from the public editing-trace format: a JSON object with `startContent`, `endContent`, and `txns`. Each
/// of these has `patches`, each of the form `[position, deleted, inserted]`. In the file, positions and counts are in
/// Unicode scalars of the text before the patch. Here they are UTF-8 offsets, as `UndoHistory` expects them.
struct EditingTrace: Equatable {
  let start: String
  let end: String
  /// All edits in order.
  let edits: [Edit]
  /// The edits of each transaction, in order and without gaps.
  ///
  /// A transaction is one undo step.
  let transactions: [Range<Int>]

  /// Replaces a range of the text.
  struct Edit: Equatable {
    /// The range in UTF-8 offsets of the text before this edit.
    let range: Range<Int>
    let text: String
  }
}

// MARK: - Reading

extension EditingTrace {
  /// Reads and validates a file.
  init(path: String) throws(Failure) {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw Failure(.noInput, "cannot read \(path): \(error.localizedDescription)")
    }
    do {
      try self.init(json: data)
    } catch {
      throw Failure(.dataError, "\(path) is not an editing trace: \(error)")
    }
  }

  /// Reads and validates a trace: every patch must be within its text, and the last one must result in `endContent`.
  init(json: Data) throws(TraceError) {
    let document: Document
    do {
      document = try JSONDecoder().decode(Document.self, from: json)
    } catch let error as DecodingError {
      throw TraceError(error)
    } catch {
      throw TraceError(problem: "\(error)")
    }

    var edits: [Edit] = []
    var transactions: [Range<Int>] = []
    transactions.reserveCapacity(document.txns.count)
    var map = ScalarWidths(document.startContent)
    for (number, transaction) in document.txns.enumerated() {
      let first = edits.count
      for (patchNumber, patch) in transaction.patches.enumerated() {
        guard patch.position >= 0, patch.deleted >= 0, patch.position <= map.count,
          patch.deleted <= map.count - patch.position
        else {
          throw TraceError(
            place: "txns[\(number)].patches[\(patchNumber)]",
            problem: "deletes \(patch.deleted) at \(patch.position), and the text has \(map.count) scalars")
        }
        let scalars = patch.position..<patch.position + patch.deleted
        edits.append(Edit(range: map.replace(scalars, with: patch.inserted), text: patch.inserted))
      }
      transactions.append(first..<edits.count)
    }
    start = document.startContent
    end = document.endContent
    self.edits = edits
    self.transactions = transactions
    try checkEnd()
  }

  /// The text after all edits.
  func replayed() -> String {
    var text = start
    TraceReplay(trace: self).replay(on: &text)
    return text
  }

  private func checkEnd() throws(TraceError) {
    let text = replayed()
    guard !text.utf8.elementsEqual(end.utf8) else { return }
    let common = zip(text.utf8, end.utf8).prefix { $0 == $1 }.count
    throw TraceError(
      problem: "the last edit leaves a text that differs from endContent at UTF-8 offset \(common) "
        + "(\(text.utf8.count) bytes, not \(end.utf8.count))")
  }

  /// The structure of the file.
  private struct Document: Decodable {
    let startContent: String
    let endContent: String
    let txns: [Transaction]

    struct Transaction: Decodable {
      let patches: [Patch]
    }

    struct Patch: Decodable {
      let position: Int
      let deleted: Int
      let inserted: String

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        do {
          position = try container.decode(Int.self)
          deleted = try container.decode(Int.self)
        } catch {
          // For a fraction or too many digits, Foundation on Linux throws an error without a location.
          throw DecodingError.dataCorruptedError(in: container, debugDescription: "A patch begins with two numbers.")
        }
        inserted = try container.decode(String.self)
        guard container.isAtEnd else {
          throw DecodingError.dataCorruptedError(in: container, debugDescription: "A patch has three elements.")
        }
      }
    }
  }
}

/// A problem in a trace, and its location.
struct TraceError: Error, Equatable, CustomStringConvertible {
  /// The location, such as `txns[3].patches[0]`.
  ///
  /// Empty for the whole trace.
  var place = ""
  var problem: String

  init(place: String = "", problem: String) {
    self.place = place
    self.problem = problem
  }

  /// Makes an error with the location at which decoding failed.
  init(_ error: DecodingError) {
    let path: [any CodingKey]
    switch error {
    case .keyNotFound(let key, let context): (path, problem) = (context.codingPath, "has no \(key.stringValue)")
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      (path, problem) = (context.codingPath, context.codingPath.isEmpty ? "it is not JSON" : "is not as it should be")
    @unknown default: (path, problem) = ([], "\(error)")
    }
    for key in path { place += key.intValue.map { "[\($0)]" } ?? (place.isEmpty ? "" : ".") + key.stringValue }
  }

  var description: String { place.isEmpty ? problem : place + " " + problem }
}

extension String {
  /// Replaces a range of UTF-8 offsets, which must be at the boundaries of scalars.
  mutating func replaceUTF8(_ range: Range<Int>, with text: String) {
    let lower = utf8.index(startIndex, offsetBy: range.lowerBound)
    let upper = utf8.index(lower, offsetBy: range.count)
    replaceSubrange(lower..<upper, with: text)
  }
}

/// Converts positions in Unicode scalars to UTF-8 offsets while the text is edited.
///
/// It stores the number of bytes of each scalar, but not the text. Adding these up is fast enough for texts that a
/// person has typed.
struct ScalarWidths {
  private var widths: [UInt8]

  /// The number of scalars in the text.
  var count: Int { widths.count }

  init(_ text: String) { widths = Self.widths(of: text) }

  /// Replaces a range of scalars, and returns the replaced range in bytes.
  mutating func replace(_ scalars: Range<Int>, with text: String) -> Range<Int> {
    let start = Self.sum(widths[..<scalars.lowerBound])
    let end = start + Self.sum(widths[scalars])
    widths.replaceSubrange(scalars, with: Self.widths(of: text))
    return start..<end
  }

  private static func widths(of text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(UTF8.width($0)) } }

  private static func sum(_ widths: ArraySlice<UInt8>) -> Int { widths.reduce(0) { $0 &+ Int($1) } }
}
