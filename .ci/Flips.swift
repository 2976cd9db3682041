// Flips operators in the sources of a target, a different one in each run of its tests, and prints the flips that no
// test notices.
//
//     .ci/flips Partials 20 7      twenty flips at random places, the same ones for the same seed
//     .ci/flips Partials Sources/Partials/Partial.swift:12 …      every flip of these lines
//
// By default, the tests of the target are run. `FLIPS_TESTS='OutboxesTests UnsavedTests'` runs these test targets
// instead, and `FLIPS_FILTER=ModelTests` only some of their tests. All flips are built at once: each operator becomes
// one of its own, which asks `UNSAVED_FLIP` whether it is the flip of this run. The flips are made in a clone of the
// last commit in .build/flips, so the checkout never changes.

import Foundation

/// An operator or a literal of the sources, and what it becomes.
struct Flip {
  var file: String
  var line: Int
  var column: Int
  var old: String
  var new: String

  var description: String { "\(file):\(line):\(column + 1) '\(old)' -> '\(new)'" }
}

/// The flipped operators, longest first, so that `<=` is never read as `<`.
let pairs = [
  ("==", "!="), ("!=", "=="), ("<=", "<"), (">=", ">"), ("+=", "-="), ("-=", "+="), ("&&", "||"), ("||", "&&"),
  ("<", "<="), (">", ">="), ("+", "-"), ("-", "+"),
]

/// All places of a line that can be flipped: operators between spaces, `!` before an operand, and Boolean literals.
///
/// Comments, string literals, attributes, assertions, declarations of operators and constraints are left alone.
func flips(of text: String, file: String, line: Int) -> [Flip] {
  for prefix in ["//", "@", "#", "import", "precondition", "assert"]
  where text.drop(while: { $0 == " " }).hasPrefix(prefix) {
    return []
  }
  if text.contains(#/func [^a-z_(]|(where|<|:) .*[A-Z][A-Za-z.]* == /#) { return [] }
  let characters = Array(text)
  var flips: [Flip] = []
  var isInString = false
  for column in characters.indices {
    if characters[column] == "\"" { isInString.toggle() }
    let rest = String(characters[column...])
    if rest.hasPrefix("//") { break }
    if isInString || column == 0 { continue }
    let before = characters[column - 1]
    func add(_ old: String, _ new: String) {
      flips.append(Flip(file: file, line: line, column: column, old: old, new: new))
    }
    if before == " ", let (old, new) = pairs.first(where: { rest.hasPrefix("\($0.0) ") }) { add(old, new) }
    if rest.hasPrefix("!"), " (".contains(before), rest.dropFirst().first?.isLetter ?? false { add("!", "") }
    for (old, new) in [("true", "false"), ("false", "true")]
    where rest.hasPrefix(old) && " ([".contains(before) && !(rest.dropFirst(old.count).first?.isLetter ?? false) {
      add(old, new)
    }
  }
  return flips
}

/// Names in the conditions of code that isn't compiled here, where no flip can be noticed.
#if os(Linux)
  let absent = ["InternalChecks", "SwiftUI", "AppKit", "UIKit", "ObjectiveC", "Darwin", "Musl"]
#else
  let absent = ["InternalChecks", "UIKit", "Linux", "Glibc", "Musl"]
#endif

/// All flips of a file, without its internal checks and without code of other platforms.
func flips(of file: String, in folder: String) throws -> [Flip] {
  var found: [Flip] = []
  var isSkipped: [Bool] = []
  let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  for (index, line) in lines.enumerated() {
    let text = line.drop { $0 == " " }
    if text.hasPrefix("#else"), let last = isSkipped.popLast() { isSkipped.append(!last) }
    if text.hasPrefix("#endif") || text.hasPrefix("#elseif") { isSkipped.removeLast() }
    if text.hasPrefix("#if") || text.hasPrefix("#elseif") { isSkipped.append(absent.contains { text.contains($0) }) }
    if !isSkipped.contains(true) { found += flips(of: String(line), file: file, line: index + 1) }
  }
  return found
}

/// The operator that stands for a flip: the old one, followed by the flip's number in binary digits.
func symbol(_ flip: Flip, _ number: Int) -> String {
  flip.old + String(number, radix: 2).map { $0 == "0" ? "∘" : "∙" }.joined()
}

/// The declarations of a flip's operator.
func declarations(_ flip: Flip, _ number: Int) -> String {
  let (symbol, old, new) = (symbol(flip, number), flip.old, flip.new)
  func function(_ generics: String, _ left: String, _ right: String, _ result: String, _ call: String = "a ~ b")
    -> String
  {
    let (usual, flipped) = (call.replacing("~", with: old), call.replacing("~", with: new))
    return """
      @usableFromInline
      func \(symbol)\(generics)(a: \(left), b: \(right)) \(result) {
        if flipOfThisRun == \(number) { \(flipped) } else { \(usual) }
      }

      """
  }
  switch old {
  case "!":
    return """
      prefix operator \(symbol)
      @usableFromInline
      prefix func \(symbol)(a: Bool) -> Bool { flipOfThisRun == \(number) ? a : !a }

      """
  case "&&", "||":
    return "infix operator \(symbol): Logical\(old == "&&" ? "Con" : "Dis")junctionPrecedence\n"
      + function("", "Bool", "@autoclosure () throws -> Bool", "rethrows -> Bool", "try a ~ b()")
  case "==", "!=":
    return "infix operator \(symbol): ComparisonPrecedence\n" + function("<T: Equatable>", "T", "T", "-> Bool")
      + function("<T>", "T?", "_OptionalNilComparisonType", "-> Bool")
      + function("", "Any.Type?", "Any.Type?", "-> Bool")
      + function("<T: Equatable, U: Equatable>", "(T, U)", "(T, U)", "-> Bool")
  case "<", "<=", ">", ">=":
    return "infix operator \(symbol): ComparisonPrecedence\n" + function("<T: Comparable>", "T", "T", "-> Bool")
  case "+", "-":
    return "infix operator \(symbol): AdditionPrecedence\n"
      + function("<T: AdditiveArithmetic>", "T", "T", "-> T") + "@_disfavoredOverload\n"
      + function("<T: Strideable>", "T", "T.Stride", "-> T", "a.advanced(by: ~b)")
  case "+=", "-=":
    return "infix operator \(symbol): AssignmentPrecedence\n"
      + function("<T: AdditiveArithmetic>", "inout T", "T", "")
  default: return ""
  }
}

/// Runs a program in a folder, and returns its status, nil after a timeout, and its output.
///
/// - Parameter failure: The program is stopped once it prints this.
func run(
  _ arguments: [String], in folder: String = ".", flip: Int = 0, seconds: Double = 3600, until failure: String? = nil
) throws -> (Int32?, String) {
  let process = Process()
  let log = FileManager.default.temporaryDirectory.appending(path: "flips-\(UUID()).log")
  defer { try? FileManager.default.removeItem(at: log) }
  try Data().write(to: log)
  let output = try FileHandle(forWritingTo: log)
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["timeout", "--kill-after=5", "\(Int(seconds))"] + arguments
  process.currentDirectoryURL = URL(filePath: folder)
  process.environment = ProcessInfo.processInfo.environment.merging(["UNSAVED_FLIP": "\(flip)"]) { $1 }
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = output
  process.standardError = output
  try process.run()
  while let failure, process.isRunning {
    Thread.sleep(forTimeInterval: 0.1)
    guard try String(decoding: Data(contentsOf: log), as: UTF8.self).contains(failure) else { continue }
    process.terminate()
    break
  }
  process.waitUntilExit()
  let status = [124, 137].contains(process.terminationStatus) ? nil : process.terminationStatus
  return (status, String(decoding: try Data(contentsOf: log), as: UTF8.self))
}

/// The clone in which the flips are made.
struct Clone {
  let folder = ".build/flips"
  let target: String
  let filter: String?

  /// Brings the clone to the last commit.
  init(target: String, filter: String?) throws {
    self.target = target
    self.filter = filter
    if !FileManager.default.fileExists(atPath: folder) { _ = try run(["git", "clone", "-q", ".", folder]) }
    _ = try run(["git", "fetch", "-q", "origin", "HEAD"], in: folder)
    try reset()
  }

  func reset() throws {
    _ = try run(["git", "checkout", "-qf", "--detach", "FETCH_HEAD"], in: folder)
    _ = try run(["git", "clean", "-qf", "Sources"], in: folder)
  }

  /// Writes the flips into the sources; the number of a flip is its index and 1.
  func write(_ flips: [Flip]) throws {
    try reset()
    for (file, numbered) in Dictionary(grouping: flips.enumerated(), by: \.element.file) {
      let path = "\(folder)/\(file)"
      var lines = try String(contentsOfFile: path, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false
      ).map(Array.init)
      // From right to left, so that the columns of the others stay.
      for (index, flip) in numbered.sorted(by: { $0.element.column > $1.element.column }) {
        let isLiteral = flip.old.first!.isLetter
        let new = isLiteral ? "(flipOfThisRun == \(index + 1) ? \(flip.new) : \(flip.old))" : symbol(flip, index + 1)
        lines[flip.line - 1].replaceSubrange(flip.column..<flip.column + flip.old.count, with: Array(new))
      }
      try lines.map { String($0) }.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
    let operators = """
      import Foundation

      @usableFromInline
      let flipOfThisRun = ProcessInfo.processInfo.environment["UNSAVED_FLIP"].flatMap { Int($0) } ?? 0


      """
    try (operators + flips.enumerated().map { declarations($1, $0 + 1) }.joined(separator: "\n")).write(
      toFile: "\(folder)/Sources/\(target)/Flips.swift", atomically: true, encoding: .utf8)
  }

  /// Builds the flips; returns the lines that don't compile.
  func build() throws -> Set<String>? {
    let (status, output) = try run(["swift", "build", "--product", "swift-unsavedPackageTests"], in: folder)
    if status == 0 { return nil }
    let errors = output.matches(of: #/(Sources/[^ :]*):([0-9]+):[0-9]+: error: /#)
    if errors.isEmpty { print(output.suffix(3000)) }
    return Set(errors.map { "\($0.1):\($0.2)" })
  }

  /// Runs the tests; returns whether all of them pass in time.
  ///
  /// `swift test` would leave a test running that doesn't end: `timeout` stops only the processes of its own group.
  func passes(flip: Int, seconds: Double = 3600) throws -> Bool {
    let tests = FileManager.default.currentDirectoryPath + "/\(folder)/.build/debug/swift-unsavedPackageTests.xctest"
    var (names, options) = ([String](), ["--testing-library", "swift-testing"])
    func passes(_ arguments: [String]) throws -> Bool {
      let noTests: Int32 = 69
      let line = ["stdbuf", "-oL", tests] + arguments
      return [0, noTests].contains(try run(line, in: folder, flip: flip, seconds: seconds, until: ": error: ").0)
    }
    if let filter {
      let list = try run([tests, "--list-tests"], in: folder).1.split(separator: "\n")
      names = [try list.filter { try $0.contains(Regex(filter)) }.joined(separator: ",")]
      options += ["--filter", filter]
    }
    return try (names == [""] || passes(names)) && passes(options)
  }
}

let arguments = CommandLine.arguments.dropFirst()
let environment = ProcessInfo.processInfo.environment
let target = arguments.first ?? "Partials"
let places = arguments.dropFirst()
setenv("CI", "true", 1)
setenv("UNSAVED_TESTS", environment["FLIPS_TESTS"] ?? "\(target)Tests", 1)

let clone = try Clone(target: target, filter: environment["FLIPS_FILTER"])
defer { try? clone.reset() }
let files = try run(["git", "ls-files", "Sources/\(target)/*.swift"], in: clone.folder).1.split(separator: "\n")
var candidates = try files.flatMap { try flips(of: String($0), in: clone.folder) }
var count = candidates.count
if places.contains(where: { $0.contains(":") }) {
  candidates.removeAll { !places.contains("\($0.file):\($0.line)") }
} else {
  count = places.first.flatMap { Int($0) } ?? 20
  let seed = places.dropFirst().first.flatMap { UInt64($0) } ?? UInt64.random(in: 1...1000)
  print("seed \(seed)")
  // A small generator, because the standard library's can't be seeded.
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }
  var generator = Generator(state: seed)
  candidates.shuffle(using: &generator)
}

var chosen = Array(candidates.prefix(count))
candidates.removeFirst(chosen.count)
var isBuilt = false
for _ in 0..<12 where !isBuilt {
  try clone.write(chosen)
  guard let broken = try clone.build() else { isBuilt = true; continue }
  let rejected = chosen.filter { broken.contains("\($0.file):\($0.line)") }
  if rejected.isEmpty { print("doesn't compile: \(broken.sorted())"); exit(1) }
  for flip in rejected { print("does not compile: \(flip.description)") }
  chosen.removeAll { broken.contains("\($0.file):\($0.line)") }
  let more = candidates.prefix(rejected.count)
  chosen += more
  candidates.removeFirst(more.count)
}
let start = Date()
guard isBuilt, try clone.passes(flip: 0) else {
  print("the tests fail without a flip")
  exit(1)
}
let seconds = 4 * Date().timeIntervalSince(start) + 20
var missed = 0
for (index, flip) in chosen.enumerated() {
  let isNoticed = try !clone.passes(flip: index + 1, seconds: seconds)
  missed += isNoticed ? 0 : 1
  print("\(isNoticed ? "noticed" : "MISSED"): \(flip.description)")
  // Otherwise, a file would have nothing until the end.
  fflush(nil)
}
print("\(missed) of \(chosen.count) flips were not noticed")
