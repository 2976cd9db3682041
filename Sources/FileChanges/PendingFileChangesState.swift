public import Foundation
public import PendingChanges

/// A change of a file's contents, with the names of the post "Handle Pending File Changes with ReSwift as Your
/// Backbone".
///
/// Two changes with the same contents are different, because their `uuid` differs. To write files, use ``FileChange``:
/// a newer change of a file replaces one that waits.
public struct FileContentChange: Equatable, Identifiable, Sendable, PendingChange {
  /// The file.
  public let url: URL
  /// The new contents of the file.
  public let content: String
  /// The identity of the change.
  public let uuid: UUID

  /// Makes a change, by default with a new `uuid`.
  public init(url: URL, content: String, uuid: UUID = UUID()) {
    (self.url, self.content, self.uuid) = (url, content, uuid)
  }

  /// The `uuid`, which is also the key: a queue has at most one change with the same key.
  public var id: UUID { uuid }
}

/// The pending changes of an application's state, oldest first and without duplicates, with the names of the post
/// "Handle Pending File Changes with ReSwift as Your Backbone".
///
/// ```swift
/// import Foundation
///
/// var state = PendingFileChangesState.empty
/// let change = FileContentChange(url: URL(filePath: "/notes.txt"), content: "Milk")
/// state.insert(fileContentChange: change)
/// state.insert(fileContentChange: change)
/// print(state.fileContentChanges.count)  // 1
/// if let next = state.nextFileContentChange { state.remove(fileContentChange: next) }
/// print(state == .empty)                 // true
/// ```
///
/// It wraps a `PendingChangeQueue`, which also knows which changes are being written, which failed, and which replace
/// others.
public struct PendingFileChangesState: Equatable, Sendable {
  /// A state without pending changes.
  public static var empty: PendingFileChangesState { PendingFileChangesState() }

  private var queue = PendingChangeQueue<FileContentChange>()

  /// The waiting changes, oldest first.
  ///
  /// - Complexity: O(*n*).
  public var fileContentChanges: [FileContentChange] { queue.waiting.map(\.change) }

  /// The oldest waiting change.
  ///
  /// - Complexity: O(1).
  public var nextFileContentChange: FileContentChange? { queue.next?.change }

  /// Adds a change at the end, unless it is already there.
  ///
  /// - Complexity: Amortized O(1); O(*n*) if the queue's storage is shared.
  public mutating func insert(fileContentChange: FileContentChange) {
    queue.insert(fileContentChange)
  }

  /// Removes a change that is done.
  ///
  /// - Complexity: Amortized O(1); O(*n*) if the queue's storage is shared.
  public mutating func remove(fileContentChange: FileContentChange) {
    if let entry = queue.newest(for: fileContentChange.key) { queue.remove(id: entry.id) }
  }
}
