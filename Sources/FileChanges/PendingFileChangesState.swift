public import Foundation
public import PendingChanges

/// A change of a file's contents, with the names of the post "Handle Pending File Changes with ReSwift as Your
/// Backbone".
///
/// Two changes with the same contents are two changes, because their `uuid` differs. To write files, use
/// ``FileChange``: a newer change of a file replaces the one that waits.
public struct FileContentChange: Equatable, Sendable, PendingChange {
  /// The file.
  public let url: URL
  /// The new contents of the file.
  public let content: String
  /// Which change it is.
  public let uuid: UUID

  /// Makes a change, by default another one than any before.
  public init(url: URL, content: String, uuid: UUID = UUID()) {
    (self.url, self.content, self.uuid) = (url, content, uuid)
  }

  /// The `uuid`: a queue has no two changes with the same key.
  public var key: UUID { uuid }
}

/// The pending changes of an application's state, oldest first and each once, with the names of the post "Handle
/// Pending File Changes with ReSwift as Your Backbone".
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
/// It is a `PendingChangeQueue`, which also knows what is being written, what failed, and which changes replace others.
public struct PendingFileChangesState: Equatable, Sendable {
  /// A state in which nothing waits.
  public static var empty: PendingFileChangesState { PendingFileChangesState() }

  private var queue = PendingChangeQueue<FileContentChange>()

  /// All changes that wait, oldest first.
  ///
  /// - Complexity: O(*n*).
  public var fileContentChanges: [FileContentChange] { queue.waiting.map(\.change) }

  /// The oldest change that waits.
  ///
  /// - Complexity: O(1).
  public var nextFileContentChange: FileContentChange? { queue.next?.change }

  /// Adds a change at the end, unless it is there already.
  ///
  /// - Complexity: O(1), amortized; O(*n*) where the queue's storage is shared.
  public mutating func insert(fileContentChange: FileContentChange) {
    queue.insert(fileContentChange)
  }

  /// Removes a change, which is done.
  ///
  /// - Complexity: O(1), amortized; O(*n*) where the queue's storage is shared.
  public mutating func remove(fileContentChange: FileContentChange) {
    if let entry = queue.newest(for: fileContentChange.key) { queue.remove(id: entry.id) }
  }
}
