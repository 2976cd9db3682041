/// The contents of a record, defined by the client of the journal.
@usableFromInline package protocol JournalBody: Hashable, Sendable {
  /// The number of bytes that ``append(to:)`` adds.
  var byteCount: Int { get }

  /// Writes the body as the payload of a record.
  func append(to bytes: inout [UInt8])

  /// Reads the payload of an intact record; nil if it makes no sense.
  ///
  /// - Throws: `newerVersion` if a later version of the client wrote it.
  init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal)
}

/// The reason why the bytes of a journal were not read.
package enum JournalRefusal: Error, Hashable {
  /// A later version wrote them; the file must stay as it is.
  case newerVersion
  /// An earlier version wrote them, which this one can't read; the file must stay as it is.
  case olderVersion
  /// They contain neither a header nor a record. Nothing is known about them, so they must not be lost.
  case unreadable
}

/// One entry of a journal: a body and its sequence number.
@usableFromInline package struct JournalRecord<Body: JournalBody>: Hashable, Sendable {
  /// The sequence number, which is greater than that of any record before it in the file.
  ///
  /// A record keeps its number when the journal is rewritten.
  @usableFromInline package let sequence: UInt64
  @usableFromInline package let body: Body

  @inlinable
  package init(sequence: UInt64, body: Body) {
    self.sequence = sequence
    self.body = body
  }

  /// The size of the record in the file.
  @inlinable
  package var byteCount: Int { JournalFrame.byteCount + body.byteCount }
}
