import Foundation
import UndoArchives
import UndoHistories

extension UndoHistory where Value: UndoArchivable {
  /// A history of the same document, whose steps are restored from the archive of this one, written and read as JSON.
  ///
  /// - Parameter configure: Changes the settings of the new history before the steps are restored.
  func restoredFromJSON(_ configure: (inout Self) -> Void = { _ in }) throws -> Self {
    try restored(from: JSONEncoder().encode(archive()), configure)
  }

  /// A history of the same document, whose steps are restored from a file with an archive.
  func restored(from file: Data, _ configure: (inout Self) -> Void = { _ in }) throws -> Self {
    var restored = Self(initialValue: currentItem)
    configure(&restored)
    try restored.restoreSteps(from: JSONDecoder().decode(Archive.self, from: file))
    return restored
  }
}

extension UndoRecorder {
  /// Replays messages of this recorder in a history, up to their end.
  func replay(_ messages: [UInt8], in history: inout UndoHistory<Value>) throws {
    var replayer = try UndoReplayer<Value>(header, .json)
    try replayer.replay(messages, in: &history)
    replayer.finish(&history)
  }
}
