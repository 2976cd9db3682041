// A step that was undone or redone, as the client gets it (`UndoHistory.Change`), and what it allocates if it has
// several edits or a label.

extension UndoHistory {
  /// The label and the edits of a step that was undone or redone.
  @frozen
  public struct Change: Sendable {
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
    public var label: String? { details?.label }

    /// The edits, in the order in which they were made.
    package var edits: [UndoEdit] { details?.edits ?? [first] }

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

extension UndoHistory.Change: Hashable {
  /// Whether both have the same label and the same edits.
  ///
  /// The values before and after the step aren't compared.
  public static func == (left: Self, right: Self) -> Bool {
    left.label == right.label && left.edits == right.edits
  }

  /// Feeds the label and the edits into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(label)
    hasher.combine(edits)
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
final class _UndoStepDetails: Sendable {
  let label: String?
  let edits: [UndoEdit]

  init?(label: String?, edits: [UndoEdit]) {
    if label == nil, edits.count == 1 { return nil }
    self.label = label
    self.edits = edits
  }
}
