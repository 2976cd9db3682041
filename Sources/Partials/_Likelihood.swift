/// Says that `condition` holds nearly always, so that the compiler lays the code behind it out without a jump.
///
/// A jump that is taken costs more than the comparison before it. The standard library's own function for this is public, but
/// underscored. It is used here only, and does nothing but hint: with internal checks the tests run without it.
@inlinable @inline(__always)
func isLikely(_ condition: Bool) -> Bool {
  #if InternalChecks
    condition
  #else
    _fastPath(condition)
  #endif
}
