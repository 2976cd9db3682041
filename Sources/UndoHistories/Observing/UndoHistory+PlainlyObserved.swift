extension UndoHistory where Value: Codable {
  /// Makes every edit within the closure one step, and writes it down; one edit of a text alone joins the latest step
  /// as typing does.
  ///
  /// In a plain log nothing observes: what the closure did is read off the records behind it. Else the recorder is
  /// lent to the log, as by `observed(by:_:)`.
  ///
  /// - Complexity: That of the edits; of several in a plain log twice that.
  @inlinable
  package mutating func joiningTransaction<Result, Failure: Error>(
    writtenBy recorder: UndoRecorder<Value>, _ body: (borrowing Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ensureUnique()
    let access = storage.access
    guard access.withLog({ $0.isPlain }) else {
      return try observed(by: recorder) { history throws(Failure) in try history.joiningTransaction(body) }
    }
    let mark = access.withLog { $0.beginTransaction(nil) }
    do {
      let result = try body(Editor(access, _UndoRoot(), offset: 0))
      access.withLog { log in
        if log.takeBackIfNothing(since: mark, access.documentPointer) { return }
        recorder.endTransaction(from: mark, in: &log, access.documentPointer)
      }
      return result
    } catch {
      access.withLog { $0.rollBack(to: mark, access.documentPointer) }
      throw error
    }
  }
}
