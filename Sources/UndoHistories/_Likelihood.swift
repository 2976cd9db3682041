// Which way a branch goes nearly always, so that the compiler lays that way out without jumps; of these an undo has more
// than of anything else. The standard library's own functions for this are public, but underscored. They are used here
// only, and do nothing but hint: with internal checks the tests run without them.

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
