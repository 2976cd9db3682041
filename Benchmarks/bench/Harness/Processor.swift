import Foundation

/// The processor of this machine.
///
/// Ratios depend on its model and caches more than on the speed of its clock.
enum Processor {
  /// A data cache.
  struct Cache: Codable, Equatable {
    /// The level, which is 1 for the cache next to the core.
    var level: Int
    var bytes: Int
    /// How many cores of this machine share the cache, if known.
    var cores: Int?

    /// The size as text, with the number of cores if the cache is shared.
    var size: String {
      let bytes = bytes.isMultiple(of: 1 << 20) ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
      return (cores ?? 1) > 1 ? "\(bytes) for \(cores ?? 1) cores" : bytes
    }
  }

  /// The maker's name of the processor, or nil if the system does not report it.
  static var name: String? {
    #if canImport(Darwin)
      var size = 0
      guard unsafe sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 0 else { return nil }
      var name = [UInt8](repeating: 0, count: size)
      guard unsafe sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return nil }
      return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    #else
      return information("model name")
    #endif
  }

  /// Distinguishes processors with the same name, such as in virtual machines.
  ///
  /// Nil if the system does not report it.
  static var model: String? {
    #if canImport(Darwin)
      return nil
    #else
      guard let family = information("cpu family"), let model = information("model") else { return nil }
      return "family \(family), model \(model)"
    #endif
  }

  #if !canImport(Darwin)
    /// The value that Linux reports for a key of the first core.
    private static func information(_ key: String) -> String? {
      guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return nil }
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2, parts[0] == key { return parts[1] }
      }
      return nil
    }
  #endif

  /// The caches in the order of their levels, or nil if the system does not report them.
  static var caches: [Cache]? {
    #if canImport(Darwin)
      let sizes = ["hw.l1dcachesize", "hw.l2cachesize", "hw.l3cachesize"].map(systemNumber)
      let caches = sizes.enumerated().compactMap { index, bytes in bytes.map { Cache(level: index + 1, bytes: $0) } }
      return caches.isEmpty ? nil : caches
    #else
      return caches(in: URL(filePath: "/sys/devices/system/cpu/cpu0/cache", directoryHint: .isDirectory))
    #endif
  }

  #if canImport(Darwin)
    private static func systemNumber(_ name: String) -> Int? {
      var value: Int64 = 0
      var size = MemoryLayout<Int64>.size
      guard unsafe sysctlbyname(name, &value, &size, nil, 0) == 0, value > 0 else { return nil }
      return Int(value)
    }
  #endif

  /// The caches as Linux lists them: a folder for each, with its level, type, size and cores.
  ///
  /// Nil if there are none.
  static func caches(in folder: URL) -> [Cache]? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let caches = names.filter { $0.hasPrefix("index") }.compactMap { name -> Cache? in
      func text(_ file: String) -> String? {
        let path = folder.appending(path: name).appending(path: file).path
        return (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
      }
      guard text("type") != "Instruction", let level = text("level").flatMap({ Int($0) }),
        let bytes = text("size").flatMap(bytes)
      else { return nil }
      return Cache(level: level, bytes: bytes, cores: text("shared_cpu_list").flatMap(count))
    }.sorted { $0.level < $1.level }
    return caches.isEmpty ? nil : caches
  }

  /// Parses a size such as `48K` or `32M`.
  private static func bytes(_ text: String) -> Int? {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    guard let last = text.last else { return nil }
    guard let unit = units[last] else { return Int(text) }
    return Int(text.dropLast()).map { $0.multipliedReportingOverflow(by: unit) }.flatMap { $0.overflow ? nil : $0.0 }
  }

  /// The number of elements in a list of numbers and ranges such as `0-3,8`.
  private static func count(_ list: String) -> Int? {
    var count = 0
    for part in list.split(separator: ",") {
      let ends = part.split(separator: "-").map { Int($0) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last,
        last < 1 << 20
      else { return nil }
      count += last - first + 1
    }
    return count > 0 ? count : nil
  }
}
