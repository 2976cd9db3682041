public import Foundation

#if os(Linux) || os(macOS)
  /// What a parent and the children that it kills tell each other: a folder that both find by the number of the parent.
  ///
  /// It is in memory where there is a folder for that: a kill takes nothing away that the kernel has.
  public struct KillFolder: Sendable {
    /// The folder.
    public let top: URL

    /// What the children note, a line each.
    public var log: URL { top.appending(path: "log") }

    /// - Parameter isNew: Whether the folder is made, as the parent does; nothing is left of an older one.
    public init(_ name: String, of process: Int32, isNew: Bool) throws {
      let memory = "/dev/shm"
      let parent =
        FileManager.default.isWritableFile(atPath: memory)
        ? URL(filePath: memory, directoryHint: .isDirectory) : FileManager.default.temporaryDirectory
      top = parent.appending(path: "\(name)-\(process)")
      guard isNew else { return }
      remove()
      try FileManager.default.createDirectory(at: top, withIntermediateDirectories: true)
      try Data().write(to: log)
    }

    /// Takes the folder away.
    public func remove() { try? FileManager.default.removeItem(at: top) }

    /// Says what the next child is to do.
    public func give(_ order: some Encodable) throws {
      try JSONEncoder().encode(order).write(to: top.appending(path: "order"))
    }

    /// What this child is to do.
    public func order<Order: Decodable>() throws -> Order {
      try JSONDecoder().decode(Order.self, from: Data(contentsOf: top.appending(path: "order")))
    }
  }
#endif
