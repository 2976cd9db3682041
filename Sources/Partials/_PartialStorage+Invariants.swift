extension _PartialStorage {
  #if InternalChecks
    /// Traps unless every invariant of the buffer holds.
    @usableFromInline @inline(never)
    func checkInvariants() {
      let size = MemoryLayout<Root>.size
      let entries = entriesInOrder
      precondition(header.entryCount <= header.entryCapacity, "More entries than there is room for")
      var state = [(isVisible: Bool, isJoined: Bool)?](repeating: nil, count: size)
      for byte in 0..<size {
        let field = _PartialField(start: byte, end: byte + 1)
        let bits = presence(inWord: field.firstWord), bit = field.bytes(inWord: field.firstWord)
        state[byte] = (bits & bit != 0, bits & bit << 32 != 0)
      }
      var end = 0
      for entry in entries {
        let field = entry.field
        precondition(end <= field.start && field.end <= size, "Entries overlap or go beyond the root")
        precondition(state[end..<field.start].allSatisfy { $0! == (false, false) }, "Presence without a value")
        for byte in field.start..<field.end {
          let isStart = byte == field.start
          precondition(state[byte]! == (true, !isStart) || state[byte]! == (false, true), "Wrong presence of a value")
        }
        end = field.end
      }
      precondition(state[end...].allSatisfy { $0! == (false, false) }, "Presence without a value")
    }
  #else
    @inlinable @inline(__always)
    func checkInvariants() {}
  #endif
}
