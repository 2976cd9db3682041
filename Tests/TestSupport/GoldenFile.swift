import Foundation

/// A file as an earlier build wrote it, which a test has as base64 in its source.
///
/// It shows that today's code still reads what users have on disk.
public struct GoldenFile: Sendable {
  /// The bytes of the file.
  public let bytes: [UInt8]

  /// - Parameters:
  ///   - base64: The bytes as base64, in any number of lines.
  ///   - remade: Makes such a file anew. It only runs if `UNSAVED_GOLDEN` is set in the environment, and its bytes are
  ///     printed as base64.
  public init(_ base64: String, remade: () async throws -> [UInt8]) async throws {
    bytes = Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
    guard ProcessInfo.processInfo.environment["UNSAVED_GOLDEN"] != nil else { return }
    print(Data(try await remade()).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed]))
  }
}
