package import UndoHistories

/// Records the changes of a history as messages, which another history can replay.
///
///     | message | message | ... |       a message is a byte that says what, and what that needs
///
/// The recorder reads the changes of a call after it has ended (`UndoHistory.observed(by:_:)`). Messages are compact:
/// an edit takes the name of the part and the inserted value, whatever the size of the document, and anything else
/// takes a byte or two. A key that continues the typing takes two bytes and its text.
///
/// Edits that a throwing transaction rolled back are not in the messages.
@usableFromInline
package final class UndoRecorder<Value: Codable>: _UndoAnyRecorder {
  private let schema: _UndoSchema
  /// The same without fields.
  private let wholeSchema = _UndoSchema(of: Value.self)
  /// Where the carried properties without a name lie that are encoded by their own.
  private var carriedFields: [Range<Int>] = []
  /// Whether a value is carried that has neither: only with the whole document the messages have it.
  private var carriesUnnamed = false
  private let parts: _UndoParts

  /// Pieces of the document that have no compact form are written by an encoder of the caller's.
  package override init(_ coding: UndoPieceCoding) {
    schema = _UndoSchema(of: Value.self, fields: coding)
    parts = schema.parts(of: Value.self)
    super.init(coding)
  }

  /// What stands in front of all messages, once: the version of the form, and the names of the parts.
  package var header: [UInt8] {
    var header = messages.emptyWriter
    header.write(_UndoMessageVersion.current)
    schema.writeNames(to: &header)
    return header.bytes
  }

  /// The first error of an encoder, or that the messages can't describe a change.
  ///
  /// The messages are incomplete from then on. Take an archive, and begin again.
  package var error: (any Error)? { messages.failure }

  /// Begins anew with a history: what comes is repeated by one that was restored from an archive of this state.
  ///
  /// The latest step ends, since the archive has it so, unless it is open here.
  ///
  /// - Returns: The first messages, which say what an archive does not: what is carried without a name, and that the
  ///   latest step is open.
  @discardableResult
  package func begin(with history: inout UndoHistory<Value>) -> [UInt8] {
    history.ensureUnique()
    let access = history.storage.access
    access.log.unread = nil
    let isOpen = access.log.isStepOpen
    if isOpen { access.log.endRecords() } else { access.log.settle() }
    messages.begin(with: access.log)
    beginCarrying(access)
    access.withLog { log in messages.carried = messages.carried(by: &log, access.documentPointer, self) }
    let step = isOpen ? access.log.extras.first?.openStep : nil
    if let step, step.hasEdits {
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
    if !history.isUnique, history.storage.access.withLog({ $0.unreadEdits.areWalked }) { history.ensureUnique() }
    let document = history.storage.access.documentPointer
    let change = history.storage.access.withLog { messages.read(&$0, document, by: self) }
    if change != .nothing {
      isUnmarked = true
      if history.isUnique { mark(&history) }
    }
    return change
  }

  /// Whether the history was read while a copy shared its storage, so that it has to be marked before it is changed.
  package private(set) var isUnmarked = false

  /// Marks a history as read.
  package func mark(_ history: inout UndoHistory<Value>) {
    history.ensureUnique()
    isUnmarked = false
    history.storage.access.withLog { messages.mark(&$0) }
  }

  /// Writes which properties without a name are carried.
  private func beginCarrying(_ access: _UndoAccess<Value>) {
    (carriedFields, carriesUnnamed) = ([], false)
    for carrier in access.log.carriers where number(of: carrier.bytes) == nil {
      guard let names = _UndoFields(access.document)?.names(of: carrier, in: access.document) else {
        carriesUnnamed = true
        continue
      }
      carriedFields.append(carrier.bytes)
      messages.write(.carryField, names.count)
      for name in names { messages.writer.write(name) }
    }
  }

  /// The messages since the last time.
  package func takeMessages() -> [UInt8] { withMessages { $0 } }

  /// How many bytes they have.
  package var messageByteCount: Int { messages.byteCount }

  /// Gives the messages to the closure, and forgets them.
  package func withMessages<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result {
    var bytes: [UInt8] = []
    swap(&messages.writer.bytes, &bytes)
    defer {
      bytes.removeAll(keepingCapacity: true)
      messages.writer.bytes = bytes
    }
    return try body(bytes)
  }

  /// The number of the part that has these bytes, and no others.
  private func number(of bytes: Range<Int>) -> Int? { parts.number(of: bytes) }

  override func hasName(_ bytes: Range<Int>) -> Bool {
    parts.number(around: bytes) > 0
      || carriedFields.contains { $0.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.upperBound }
  }

  override func write(
    _ edit: _UndoEdit, of document: _UnsafeUndoPointer, to writer: inout _UndoWriter
  ) throws -> _UndoPatch? {
    let schema = carriesUnnamed ? wholeSchema : schema
    let patch = _UndoPatch(edit, of: document, schema.coder(of: Value.self), schema)
    try patch.write(to: &writer)
    // Of what was replaced nothing is asked any more.
    return patch.replacing(_UndoTextPatch(start: 0, count: 0, replacement: ""))
  }
}
