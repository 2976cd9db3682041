import Foundation

/// Where and how something was measured.
///
/// Figures of different environments are not comparable.
struct Environment: Codable, Equatable {
  var date: Date
  var cpu: String
  /// Distinguishes processors with the same name.
  ///
  /// Absent if the name is sufficient.
  var cpuModel: String?
  var cores: Int
  /// Absent if the system does not report them.
  var caches: [Processor.Cache]?
  var operatingSystem: String
  var swift: String
  /// How the Swift runtime is linked, which changes ratios by half (`dynamic` or `static`).
  var linkMode: String
  /// `seeded` differently in each process, or `deterministic`.
  var hashing: String
  /// Whether the system placed memory at the same addresses in each process (`fixed`) or not (`random`).
  var layout: String?
  /// The number that was added to the seeds of keys and orders.
  var seed: UInt64?
  /// How many processes measured each case.
  var processes: Int?
  /// Whether allocations could be counted.
  var countsAllocations: Bool
  var traits: [String]
  /// The commit of the working copy that contains the executable, with `-dirty` if there are uncommitted changes.
  var commit: String?
  /// The load average of the last minute before the measurement began.
  var loadAverage: Double?
  var arguments: [String]

  /// The current environment.
  static var current: Environment {
    let process = ProcessInfo.processInfo
    return Environment(
      date: Date(),
      cpu: Processor.name ?? "unknown",
      cpuModel: Processor.model,
      cores: process.activeProcessorCount,
      caches: Processor.caches,
      operatingSystem: operatingSystemName,
      swift: compilerVersion,
      linkMode: runtimeIsInAnotherImage ? "dynamic" : "static",
      hashing: process.environment["SWIFT_DETERMINISTIC_HASHING"] == nil ? "seeded" : "deterministic",
      layout: AddressSpace.isFixed ? "fixed" : "random",
      seed: SplitMix64.seedOfTheRun,
      countsAllocations: MemoryPass.isSupported,
      traits: enabledTraits,
      commit: commitOfWorkingCopy,
      loadAverage: currentLoadAverage,
      arguments: Array(process.arguments.dropFirst()))
  }

  /// The processor in a line: its name, its cores, and its caches in the order of their levels.
  var processor: String {
    let levels = (caches ?? []).map { "L\($0.level) \($0.size)" }
    return ([cpuModel.map { "\(cpu) (\($0))" } ?? cpu, Format.counted(cores, "core")] + levels).joined(separator: ", ")
  }

  /// Whether more processes were ready to run than there are cores.
  var isBusy: Bool { loadAverage.map { $0 > Double(cores) } ?? false }

  private static var enabledTraits: [String] {
    var traits: [String] = []
    #if Peers
      traits.append("Peers")
    #endif
    #if InternalChecks
      traits.append("InternalChecks")
    #endif
    return traits
  }

  private static var compilerVersion: String {
    #if compiler(>=7.0)
      "7.0 or later"
    #elseif compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  private static var operatingSystemName: String {
    let version = ProcessInfo.processInfo.operatingSystemVersionString
    #if arch(x86_64)
      return version + ", x86_64"
    #elseif arch(arm64)
      return version + ", arm64"
    #else
      return version
    #endif
  }

  /// Whether the runtime is a dynamic library.
  private static var runtimeIsInAnotherImage: Bool {
    #if canImport(Darwin)
      return true  // The runtime is part of the system.
    #else
      return unsafe dlopen("libswiftCore.so", RTLD_NOW | RTLD_NOLOAD) != nil
    #endif
  }

  private static var currentLoadAverage: Double? {
    var average = 0.0
    return unsafe getloadavg(&average, 1) == 1 ? average : nil
  }

  private static var commitOfWorkingCopy: String? {
    guard let executable = Bundle.main.executableURL else { return nil }
    let git = Process()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = [
      "git", "-C", executable.deletingLastPathComponent().path, "describe", "--always", "--dirty", "--abbrev=40",
      "--exclude=*",
    ]
    let output = Pipe()
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    guard (try? git.run()) != nil, let data = try? output.fileHandleForReading.readToEnd() else { return nil }
    git.waitUntilExit()
    guard git.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
