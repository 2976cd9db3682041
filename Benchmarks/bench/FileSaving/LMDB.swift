import Foundation

/// Files in an LMDB environment, by their paths.
///
/// Each transaction is on the device when it returns.
@safe final class LMDB: @unchecked Sendable {
  private typealias Pointer = UnsafeMutableRawPointer
  private typealias Create = @convention(c) (UnsafeMutablePointer<Pointer?>) -> Int32
  private typealias SetSize = @convention(c) (Pointer?, Int) -> Int32
  private typealias Open = @convention(c) (Pointer?, UnsafePointer<CChar>, UInt32, mode_t) -> Int32
  private typealias Begin = @convention(c) (Pointer?, Pointer?, UInt32, UnsafeMutablePointer<Pointer?>) -> Int32
  private typealias OpenDatabase = @convention(c) (Pointer?, Pointer?, UInt32, UnsafeMutablePointer<UInt32>) -> Int32
  private typealias Put = @convention(c) (Pointer?, UInt32, Pointer, Pointer, UInt32) -> Int32
  private typealias Commit = @convention(c) (Pointer?) -> Int32
  private typealias End = @convention(c) (Pointer?) -> Void

  /// A key or a value: `MDB_val`.
  @unsafe private struct Value {
    var count: Int
    var bytes: UnsafeRawPointer?
  }

  private static let library = DynamicLibrary("liblmdb.so.0", "liblmdb.dylib")

  static var isInstalled: Bool { library != nil }

  private let lock = NSLock()
  private var environment: Pointer?
  private var database: UInt32 = 0
  private let begin: Begin
  private let put: Put
  private let commit: Commit
  private let (abort, close): (End, End)

  /// Makes an environment in a file, or returns nil if that fails, or the library is not installed.
  init?(_ path: String) {
    guard let library = Self.library,
      let create = unsafe library.function("mdb_env_create", as: Create.self),
      let setSize = unsafe library.function("mdb_env_set_mapsize", as: SetSize.self),
      let open = unsafe library.function("mdb_env_open", as: Open.self),
      let begin = unsafe library.function("mdb_txn_begin", as: Begin.self),
      let openDatabase = unsafe library.function("mdb_dbi_open", as: OpenDatabase.self),
      let put = unsafe library.function("mdb_put", as: Put.self),
      let commit = unsafe library.function("mdb_txn_commit", as: Commit.self),
      let abort = unsafe library.function("mdb_txn_abort", as: End.self),
      let close = unsafe library.function("mdb_env_close", as: End.self)
    else { return nil }
    unsafe (self.begin, self.put, self.commit) = (begin, put, commit)
    unsafe (self.abort, self.close) = (abort, close)
    let isOneFile: UInt32 = 0x4000
    guard unsafe create(&environment) == 0, unsafe setSize(environment, 1 << 28) == 0,
      unsafe open(environment, path, isOneFile, 0o600) == 0
    else { return nil }
    var transaction: Pointer?
    guard unsafe begin(environment, nil, 0, &transaction) == 0,
      unsafe openDatabase(transaction, nil, 0, &database) == 0, unsafe commit(transaction) == 0
    else { return nil }
  }

  /// Writes the contents of a file in one transaction, and returns whether it succeeded.
  ///
  /// An environment runs one transaction at a time that writes.
  func save(_ contents: Data, to path: String) -> Bool {
    lock.withLock {
      unsafe path.utf8.withContiguousStorageIfAvailable { name in
        unsafe contents.withUnsafeBytes { bytes in
          var key = unsafe Value(count: name.count, bytes: name.baseAddress)
          var value = unsafe Value(count: bytes.count, bytes: bytes.baseAddress)
          var transaction: Pointer?
          guard unsafe begin(environment, nil, 0, &transaction) == 0 else { return false }
          guard unsafe put(transaction, database, &key, &value, 0) == 0 else {
            unsafe abort(transaction)
            return false
          }
          return unsafe commit(transaction) == 0
        }
      } ?? false
    }
  }

  deinit { unsafe close(environment) }
}
