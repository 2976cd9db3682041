import Foundation

/// A JSON file of results.
///
/// It is written atomically after each case, so an interrupted run loses nothing.
struct ResultsFile {
  let url: URL

  /// Writes the file, so that an error is reported before anything is measured.
  init(path: String, results: Results) throws(Failure) {
    url = URL(fileURLWithPath: path)
    try write(results)
  }

  func write(_ results: Results) throws(Failure) {
    do {
      try Self.encode(results).write(to: url, options: .atomic)
    } catch {
      throw Failure(.cannotCreate, "cannot write \(url.path): \(error.localizedDescription)")
    }
  }

  /// Writes files to a folder, which is created if it doesn't exist.
  static func write(_ files: [(name: String, data: Data)], to folder: String) throws(Failure) {
    let url = URL(fileURLWithPath: folder, isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for (name, data) in files { try data.write(to: url.appending(path: name), options: .atomic) }
    } catch {
      throw Failure(.cannotCreate, "cannot write into \(folder): \(error.localizedDescription)")
    }
  }

  /// Encodes results.
  ///
  /// The same results always give the same bytes.
  static func encode(_ results: Results) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(results) + Data("\n".utf8)
  }

  /// Reads a file of results.
  static func read(_ path: String) throws(Failure) -> Results {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw Failure(.noInput, "cannot read \(path): \(error.localizedDescription)")
    }
    do {
      return try decode(data)
    } catch let failure as Failure {
      throw Failure(failure.code, "\(path): \(failure.message)")
    } catch {
      throw Failure(.dataError, "\(path) does not hold results of bench")
    }
  }

  /// Decodes results.
  ///
  /// Throws an error that names the number of a later schema.
  static func decode(_ data: Data) throws -> Results {
    struct Schema: Decodable {
      let schema: Int
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let schema = try decoder.decode(Schema.self, from: data).schema
    guard schema == 1 else {
      throw Failure(.dataError, "the results have schema \(schema), and this bench reads schema 1")
    }
    return try decoder.decode(Results.self, from: data)
  }
}
