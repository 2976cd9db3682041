/// What a record says, in the terms of the journal's client.
package protocol JournalBody: Hashable, Sendable {
  /// How many bytes ``append(to:)`` adds.
  var byteCount: Int { get }

  /// Writes the body as the payload of a record.
  func append(to bytes: inout [UInt8])

  /// Reads the payload of an intact record; nil where it makes no sense.
  ///
  /// - Throws: `newerVersion` where a later version of the client has written it.
  init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal)
}

/// Why the bytes of a journal were not read.
package enum JournalRefusal: Error, Hashable {
  /// A later version has written them; the file must stay as it is.
  case newerVersion
  /// There is neither a header nor a record in them: nothing is known but that they are not to be lost.
  case unreadable
}

/// One thing that a journal remembers.
package struct JournalRecord<Body: JournalBody>: Hashable, Sendable {
  /// The sequence number: greater than that of any record before it in the file.
  ///
  /// A record keeps its number in later files of the journal.
  package let sequence: UInt64
  package let body: Body

  @inlinable
  package init(sequence: UInt64, body: Body) {
    self.sequence = sequence
    self.body = body
  }

  /// How many bytes the record takes in the file.
  @inlinable
  package var byteCount: Int { JournalFrame.byteCount + body.byteCount }

  /// Writes the record for the journal file with this identity.
  ///
  /// - Parameter isSynchronized: Whether all that is before it in the file is on the device.
  package func append(to bytes: inout [UInt8], identity: UInt64, isSynchronized: Bool = false) {
    let start = bytes.count
    JournalFrame.begin(
      in: &bytes, identity: identity, sequence: sequence, payloadByteCount: body.byteCount,
      isSynchronized: isSynchronized)
    body.append(to: &bytes)
    JournalFrame.end(in: &bytes, at: start)
  }
}
