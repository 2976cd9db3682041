package import UndoHistories

/// Records the changes of a history as messages, which another history can replay (`UndoReplayer`).
///
/// This class begins and marks a history, names its restored properties, and hands the messages over. `_UndoMessages`
/// reads the log and writes the messages.
///
///     | message | message | ... |       a message is a byte that says what happened, and the details
///
/// The recorder reads the changes of a call after it has ended (`read(_:)`). Messages are compact:
/// an edit takes the name of the part and the inserted value, whatever the size of the document, and anything else
/// takes a byte or two. A key that continues the typing takes two bytes and its text.
///
/// Edits that a throwing transaction rolled back are not in the messages.
package final class UndoRecorder<Value: Codable> {
  @safe @exclusivity(unchecked)
  private var messages: _UndoMessages

  /// Creates a recorder; the coding writes values without a compact form.
  package init(_ coding: UndoPieceCoding) { messages = _UndoMessages(of: Value.self, coding) }

  /// The header of all messages: the version, and the names of the parts.
  package var header: [UInt8] {
    var header = _UndoWriter()
    header.write(_UndoMessageKind.version)
    messages.schema.writeNames(of: Value.self, to: &header)
    return header.bytes
  }

  /// The first error of an encoder, or that the messages can't describe a change.
  ///
  /// The messages are incomplete from then on. Take an archive, and begin again.
  package var error: (any Error)? { messages.failure }

  /// Begins to record a history.
  ///
  /// The messages can be replayed by a history that was restored from an archive of this state. The latest step ends,
  /// as in the archive, unless it is an open step.
  ///
  /// - Returns: The first messages, with what the archive lacks: restored properties without a named part, and whether
  ///   the latest step is open.
  @discardableResult
  package func begin(with history: inout UndoHistory<Value>) -> [UInt8] {
    history.ensureUnique()
    let access = history.storage.access
    access.log.unread = nil
    let isOpen = access.log.isStepOpen
    if isOpen { access.log.endCoalescing() } else { access.log.settle() }
    messages.begin(with: access.log)
    beginRestoring(access)
    access.withLog { log in messages.restored = messages.restored(by: &log, access.documentPointer) }
    let step = isOpen ? access.log.extras.first?.openStep : nil
    if let step, access.log.isEditedStepOpen {
      messages.write(.reopenStep)
      messages.reopened = step.identity
    } else if let step {
      messages.write(.beginStep, .beginLabelledStep, step.label)
    }
    mark(&history)
    return takeMessages()
  }

  /// Reads what changed in a history since the last call, and writes messages for it.
  ///
  /// If the history doesn't continue from the state that was read last, or if messages can't describe all changes, this
  /// sets ``error``. Begin again with the history then.
  ///
  /// - Complexity: That of the new edits.
  @discardableResult
  package func read(_ history: inout UndoHistory<Value>) -> UndoReading {
    if !history.isUnique, history.storage.access.withLog({ $0.unread?.edits(in: $0.records).areWalked }) == true {
      history.ensureUnique()
    }
    let document = history.storage.access.documentPointer
    let change = history.storage.access.withLog { messages.read(&$0, document) }
    if change == .nothing { return change }
    isUnmarked = !history.isUnique
    if !isUnmarked { history.storage.access.withLog { messages.mark(&$0) } }
    return change
  }

  /// Whether the history was read while a copy shared its storage, so that it has to be marked before it is changed.
  package private(set) var isUnmarked = false

  /// Marks a history as read.
  package func mark(_ history: inout UndoHistory<Value>) {
    isUnmarked = false
    history.changeLog { messages.mark(&$0) }
  }

  /// Writes the names of restored properties without a named part.
  private func beginRestoring(_ access: _UndoAccess<Value>) {
    (messages.restoredFields, messages.restoresUnnamed) = ([], false)
    for property in access.log.restoredProperties where messages.parts.number(of: property.bytes) == nil {
      guard let names = _UndoFields(access.document)?.names(of: property, in: access.document) else {
        messages.restoresUnnamed = true
        continue
      }
      messages.restoredFields.append(property.bytes)
      messages.write(.restoreField, names.count)
      for name in names { messages.writer.write(name) }
    }
  }

  /// Returns the messages since the last call, and removes them.
  package func takeMessages() -> [UInt8] {
    defer { messages.writer.bytes.removeAll(keepingCapacity: true) }
    return messages.writer.bytes
  }

  /// Whether all steps were removed since the last call, so that nothing may keep them.
  package func takeRemoval() -> Bool {
    defer { messages.hasRemovedAll = false }
    return messages.hasRemovedAll
  }

  /// The number of bytes of the messages.
  package var messageByteCount: Int { messages.writer.bytes.count }
}
