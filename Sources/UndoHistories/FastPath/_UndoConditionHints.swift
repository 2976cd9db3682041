// `isLikely` and `isUnlikely`: hints which way a condition nearly always goes, so that the compiler lays that way out
// without jumps, which are the most frequent instructions of an undo. Editing a field and undoing that take one
// instruction less each, and editing `items[i].name` two more; the gain is fewer jumps. Price: the standard library's
// own functions for this are public but underscored. They are used only here, and have no effect but the hint.

@inlinable
@inline(__always)
func isLikely(_ condition: Bool) -> Bool { _fastPath(condition) }

@inlinable
@inline(__always)
func isUnlikely(_ condition: Bool) -> Bool { _slowPath(condition) }
