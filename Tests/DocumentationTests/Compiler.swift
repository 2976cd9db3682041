import Foundation

/// The compiler, with the modules that this test run was built with.
///
/// An example is compiled as by its reader: as a script in Swift 6 mode, with `Foundation` and `Unsaved` imported and
/// without this package's own settings. The compiler runs up to the last stage that reports errors.
struct Compiler: Sendable {
  /// A reason why examples cannot be compiled.
  enum Unavailable: Error {
    case noCompiler
    case noModules(near: URL)
  }

  private let executable: URL
  private let modules: URL

  /// Finds the compiler of the running toolchain, and the modules in a folder or one of its parents.
  init(modulesNear bundle: URL) throws(Unavailable) {
    guard let modules = Self.modules(near: bundle) else {
      throw .noModules(near: bundle)
    }
    guard let executable = Self.candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else { throw .noCompiler }
    self.modules = modules
    self.executable = executable
  }

  /// The errors in some scripts, which consist of one block or several.
  ///
  /// Two lines of context follow each message.
  func problems(in scripts: [[Document.Block]]) async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "unsaved-examples-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let lanes = ProcessInfo.processInfo.activeProcessorCount
    return try await withThrowingTaskGroup(of: [String].self) { group in
      for lane in 0..<lanes {
        group.addTask {
          var found: [String] = []
          for number in stride(from: lane, to: scripts.count, by: lanes) {
            found += try await problems(in: scripts[number], at: folder.appending(path: "example\(number).swift"))
          }
          return found
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted()
    }
  }

  private func problems(in blocks: [Document.Block], at script: URL) async throws -> [String] {
    let code = blocks.map { "#sourceLocation(file: \"\($0.path)\", line: \($0.line))\n\($0.code)\n#sourceLocation()\n" }
    let source = "import Foundation\nimport Unsaved\n" + code.joined()
    try source.write(to: script, atomically: false, encoding: .utf8)
    let log = script.appendingPathExtension("log")
    try Data().write(to: log)

    let process = Process()
    process.executableURL = executable
    process.arguments = [
      "-emit-sil", "-o", "/dev/null", "-module-name", "Example", "-swift-version", "6", "-I", modules.path,
      "-diagnostic-style", "llvm", "-Werror", "DeprecatedDeclaration", script.path,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: log)
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    guard process.terminationStatus != 0 else { return [] }
    let output = try String(contentsOf: log, encoding: .utf8)
    let errors = Self.errors(in: output)
    return errors.isEmpty ? blocks.prefix(1).map { "\($0.path):\($0.line): \(output)" } : errors
  }

  /// The errors of the compiler's output, without the warnings.
  private static func errors(in output: String) -> [String] {
    var errors: [String] = []
    var isError = false
    for line in output.split(separator: "\n") {
      if let severity = line.firstMatch(of: /^.+?:\d+:\d+: (error|warning|note):/)?.1 {
        isError = severity == "error"
        if isError { errors.append("") }
      }
      if isError { errors[errors.count - 1] += errors[errors.count - 1].isEmpty ? line : "\n" + line }
    }
    return errors
  }

  /// The folder with the modules: `Modules` next to the products, or the products' folder itself.
  private static func modules(near bundle: URL) -> URL? {
    var folder = bundle.standardizedFileURL
    while folder.path != "/" {
      for modules in [folder.appending(path: "Modules"), folder]
      where FileManager.default.fileExists(atPath: modules.appending(path: "Unsaved.swiftmodule").path) {
        return modules
      }
      folder.deleteLastPathComponent()
    }
    return nil
  }

  /// Possible paths of a compiler: first in the toolchain whose library is loaded, because only the same version reads
  /// the modules, then on PATH.
  private static var candidates: [URL] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return ([toolchain].compactMap(\.self) + path.split(separator: ":").map(String.init))
      .map { URL(filePath: $0).appending(path: "swiftc") }
  }

  /// The folder with the programs of the toolchain whose library is loaded, if the system reports it.
  private static var toolchain: String? {
    // The reported size of this file is zero, and reading it as a string would stop after the first page.
    guard let maps = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd() else { return nil }
    let library = /(\/\S+)\/lib\/swift\/linux\/libswiftCore\.so/
    return String(decoding: maps, as: UTF8.self).firstMatch(of: library).map { "\($0.1)/bin" }
  }
}
