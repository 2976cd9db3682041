import Foundation

/// A table of files in a database in WAL mode.
///
/// Each transaction is on the device when it returns.
@safe final class SQLite: @unchecked Sendable {
  private typealias Pointer = UnsafeMutableRawPointer
  private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Pointer?>) -> Int32
  private typealias Execute =
    @convention(c) (Pointer?, UnsafePointer<CChar>, Pointer?, Pointer?, Pointer?) -> Int32
  private typealias Prepare =
    @convention(c) (Pointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Pointer?>, Pointer?) -> Int32
  private typealias Bind = @convention(c) (Pointer?, Int32, UnsafeRawPointer?, Int32, Pointer?) -> Int32
  private typealias Call = @convention(c) (Pointer?) -> Int32
  private typealias Column = @convention(c) (Pointer?, Int32) -> Int64

  /// Whether the library is installed.
  static var isInstalled: Bool { library != nil }

  private static let library = DynamicLibrary("libsqlite3.so.0", "libsqlite3.dylib")

  private let lock = NSLock()
  private var database: Pointer?
  private var statement: Pointer?
  private let (bindText, bindBlob): (Bind, Bind)
  private let (step, reset, finalize, close): (Call, Call, Call, Call)
  private let prepare: Prepare
  private let columnNumber: Column

  /// Makes a database, or returns nil if that fails.
  init?(_ path: String) {
    guard let library = Self.library, let open = unsafe library.function("sqlite3_open", as: Open.self),
      let execute = unsafe library.function("sqlite3_exec", as: Execute.self),
      let prepare = unsafe library.function("sqlite3_prepare_v2", as: Prepare.self),
      let bindText = unsafe library.function("sqlite3_bind_text", as: Bind.self),
      let bindBlob = unsafe library.function("sqlite3_bind_blob", as: Bind.self),
      let step = unsafe library.function("sqlite3_step", as: Call.self),
      let reset = unsafe library.function("sqlite3_reset", as: Call.self),
      let finalize = unsafe library.function("sqlite3_finalize", as: Call.self),
      let close = unsafe library.function("sqlite3_close", as: Call.self),
      let columnNumber = unsafe library.function("sqlite3_column_int64", as: Column.self)
    else { return nil }
    unsafe (self.prepare, self.columnNumber) = (prepare, columnNumber)
    unsafe (self.bindText, self.bindBlob) = (bindText, bindBlob)
    unsafe (self.step, self.reset, self.finalize, self.close) = (step, reset, finalize, close)
    guard unsafe open(path, &database) == 0 else { return nil }
    let settings = """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE files (path TEXT PRIMARY KEY, contents BLOB);
      """
    guard unsafe execute(database, settings, nil, nil, nil) == 0,
      unsafe prepare(database, "INSERT OR REPLACE INTO files VALUES (?, ?)", -1, &statement, nil) == 0
    else { return nil }
  }

  /// Writes the contents of a file in one transaction, and returns whether it succeeded.
  ///
  /// A connection runs one transaction at a time.
  func save(_ contents: Data, to path: String) -> Bool {
    lock.withLock {
      unsafe path.utf8.withContiguousStorageIfAvailable { name in
        unsafe contents.withUnsafeBytes { bytes in
          // The bytes stay valid until the step is done.
          let isBound =
            unsafe bindText(statement, 1, name.baseAddress, Int32(name.count), nil) == 0
            && bindBlob(statement, 2, bytes.baseAddress, Int32(bytes.count), nil) == 0
          let isDone = 101 as Int32
          defer { _ = unsafe reset(statement) }
          return unsafe isBound && step(statement) == isDone
        }
      } ?? false
    }
  }

  /// The number of bytes of all contents, or nil if the query fails.
  var byteCount: Int? {
    lock.withLock {
      var query: Pointer?
      let isRow = 100 as Int32
      defer { _ = unsafe finalize(query) }
      guard unsafe prepare(database, "SELECT SUM(LENGTH(contents)) FROM files", -1, &query, nil) == 0,
        unsafe step(query) == isRow
      else { return nil }
      return Int(unsafe columnNumber(query, 0))
    }
  }

  deinit {
    _ = unsafe finalize(statement)
    _ = unsafe close(database)
  }
}
