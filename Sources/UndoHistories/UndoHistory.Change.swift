// A step that was undone or redone, as the client gets it (`UndoHistory.Change`), and what it allocates if it has
// several edits or a label.

extension UndoHistory {
  /// The label and the edits of a step that was undone or redone.
  ///
  /// Two changes are equal if they have the same label and the same edits. The values before and after the step aren't
  /// compared.
  @frozen
  public struct Change: Hashable, Sendable {
    // The common step, one edit without a label, fits into the change. For all others, the details are allocated.

    @usableFromInline
    let first: UndoEdit
    @usableFromInline
    let details: _UndoStepDetails?

    @inlinable
    init(_ first: UndoEdit, _ details: _UndoStepDetails?) {
      self.first = first
      self.details = details
    }

    /// The label of the step.
    public var label: String? { if case .several(let label, _)? = details { label } else { nil } }

    /// The edits, in the order in which they were made.
    package var edits: [UndoEdit] { if case .several(_, let edits)? = details { edits } else { [first] } }

    /// The edits within a property, in the order in which they were made.
    ///
    /// Use them to update a view that shows the property, such as a list of rows or a text. An edit that replaced a
    /// value containing the property is among them, with ``UndoEdit/Kind/value`` as its kind. For a computed property,
    /// these are all edits.
    package func edits<Part>(in keyPath: KeyPath<Value, Part>) -> [UndoEdit] {
      let part = keyPath.bytes
      return edits.filter { part?.overlaps($0.bytes) ?? true }
    }

    /// Whether anything within a property changed.
    public func touches<Part>(_ keyPath: KeyPath<Value, Part>) -> Bool {
      !edits(in: keyPath).isEmpty
    }
  }
}

extension UndoHistory.Change: CustomStringConvertible {
  /// The label, if there is one, and the edits.
  public var description: String {
    let edits = edits.map(\.description).joined(separator: ", ")
    return label.map { "\($0): \(edits)" } ?? edits
  }
}

/// The label and the edits of a step, unless it has one edit and no label.
@usableFromInline
indirect enum _UndoStepDetails: Hashable, Sendable {
  case several(label: String?, edits: [UndoEdit])

  init?(label: String?, edits: [UndoEdit]) {
    if label == nil, edits.count == 1 { return nil }
    self = .several(label: label, edits: edits)
  }
}
