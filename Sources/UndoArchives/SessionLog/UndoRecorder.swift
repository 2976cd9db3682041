package import UndoHistories

/// Writes down what happens in a history, as messages that another history repeats.
///
///     | message | message | ... |       a message is a byte that says what, and what that needs
///
/// What a call did (`UndoHistory.observed(by:_:)`) is read off the history behind it. The messages are in the compact
/// form: of an edit the named part and what it put there, whatever the size of the document; of anything else a byte or
/// two. A key that goes on with the typing is two bytes and its text.
///
/// What was taken back by a transaction that threw is not in the messages.
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

  /// Why something could not be written down: what an encoder threw first, or that not all could be told.
  ///
  /// From then on the messages are not all of it. Take an archive, and begin anew.
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

  /// Reads off a history what was done to it since the last time, and writes that down.
  ///
  /// One that does not go on from what was read, or of which not all can be told, is an ``error``: begin anew with it.
  ///
  /// - Complexity: As what is new of it.
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

  /// Whether a copy was read, and the history has to be marked before it is copied or changed.
  package private(set) var isUnmarked = false

  /// Marks a history that was read as such.
  package func mark(_ history: inout UndoHistory<Value>) {
    history.ensureUnique()
    isUnmarked = false
    history.storage.access.withLog { messages.mark(&$0) }
  }

  /// Writes which properties without a name are carried.
  private func beginCarrying(_ access: _UndoAccess<Value>) {
    (carriedFields, carriesUnnamed) = ([], false)
    for carrier in access.log.carriers where number(of: carrier.bytes) == nil {
      guard let names = _UndoFields(access.document)?.names(of: carrier, in: access.document, Value.self) else {
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
