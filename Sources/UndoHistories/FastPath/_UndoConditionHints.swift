// `isLikely` and `isUnlikely`: hints which way a condition nearly always goes, so that the compiler lays that way out
// without jumps. No instruction is as frequent in an undo as jumps. The hints spare one instruction of a field and of
// its step, and add two to `items[i].name`; fewer jumps are the point. Price: the standard library's own functions for
// this are public but underscored. They are used only here, and have no effect but the hint: with internal checks, the
// tests run without them.

@inlinable
@inline(__always)
func isLikely(_ condition: Bool) -> Bool {
  #if InternalChecks
    condition
  #else
    _fastPath(condition)
  #endif
}

@inlinable
@inline(__always)
func isUnlikely(_ condition: Bool) -> Bool {
  #if InternalChecks
    condition
  #else
    _slowPath(condition)
  #endif
}
