/// Steps that were set aside, as they lay in the log.
///
///     id | parent | fork | steps | first chunk | other chunks
///                                  ^ of the size of its records, and so is the last one
///
/// A branch takes its records, these 48 bytes, and an object and the head of a chunk.
package struct _UndoBranch {
  /// A random number, and never 0.
  package var id: UInt64 = 0
  /// The branch on which the fork lies; 0 for the present line.
  package var parent: UInt64 = 0
  /// The state from which its first step leads on.
  package var fork: Int
  package private(set) var stepCount: Int
  private var first: _UnsafeUndoChunk?
  private var others: [_UnsafeUndoChunk] = []

  init(fork: Int, stepCount: Int) {
    (self.fork, self.stepCount) = (fork, stepCount)
  }

  /// The state that its last step leads to.
  var end: Int { fork + stepCount }

  /// The chunks, first to last.
  var chunks: [_UnsafeUndoChunk] { [first].compactMap { $0 } + others }

  /// Adds chunks behind those that are there.
  mutating func add(_ chunks: some Sequence<_UnsafeUndoChunk>) {
    for chunk in chunks where chunk.memory.used > chunk.memory.first {
      if first == nil { first = chunk } else { others.append(chunk) }
    }
  }

  /// Adds the steps of a branch that goes on where this one ends, and takes its identity.
  mutating func append(_ next: _UndoBranch) {
    id = next.id
    stepCount += next.stepCount
    add(next.chunks)
  }

  /// The same branch with so many steps, in other chunks.
  func with(stepCount: Int, _ chunks: [_UnsafeUndoChunk]) -> _UndoBranch {
    var branch = self
    (branch.stepCount, branch.first, branch.others) = (stepCount, nil, [])
    branch.add(chunks)
    return branch
  }

  /// Makes the last chunk as small as its records are, unless another log refers to it.
  mutating func trim() {
    if others.isEmpty {
      if isKnownUniquelyReferenced(&first), let trimmed = first?.trimmed() { first = trimmed }
    } else if isKnownUniquelyReferenced(&others[others.count - 1]), let trimmed = others[others.count - 1].trimmed() {
      others[others.count - 1] = trimmed
    }
  }

  /// Lets the first record know how long the one before it is.
  mutating func setPreviousWords(_ words: Int) {
    guard let old = first else { return }
    let chunk = old.copyOfSize(from: old.memory.first, to: old.memory.used)
    let offset = chunk.memory.first
    let header = unsafe chunk.memory.header(at: offset)
    let link = _UndoLink(words: words, flags: header.link.flags)
    unsafe chunk.memory.setHeader(
      _UndoHeader(argument: header.argument, words: header.words, operation: header.operation, link: link), at: offset)
    first = chunk
  }
}

extension _UnsafeUndoChunk {
  /// A copy in the size of the records; nil where there is little to save.
  fileprivate func trimmed() -> _UnsafeUndoChunk? {
    memory.capacity - memory.used < 64 ? nil : copyOfSize(from: memory.first, to: memory.used)
  }

  /// A chunk of the size of the records between two offsets, with copies of them.
  func copyOfSize(from start: Int, to end: Int) -> _UnsafeUndoChunk {
    let copy = _UnsafeUndoChunk(capacity: _UnsafeUndoMemory.start + end - start, operations: operations)
    var offset = start
    while offset < end {
      let record = unsafe _UndoLog.Record(at: offset, in: memory)
      unsafe copy.memory.appendCopy(of: record, operations)
      offset += record.header.bytes
    }
    return copy
  }
}
