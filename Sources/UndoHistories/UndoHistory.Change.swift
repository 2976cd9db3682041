// A step that was undone or redone, as the client gets it (`UndoHistory.Change`), and its compact contents.

extension UndoHistory {
  /// The label and the edits of a step that was undone or redone.
  @frozen
  public struct Change: Sendable {
    @usableFromInline
    let report: _UndoReport

    @inlinable
    init(_ report: _UndoReport) {
      self.report = report
    }

    /// The label of the step.
    public var label: String? { report.label }

    /// The edits, in the order in which they were made.
    package var edits: [UndoEdit] { report.edits }

    /// The edits within a property, in the order in which they were made.
    ///
    /// Use them to update a view that shows the property, such as a list of rows or a text. An edit that replaced a
    /// value containing the property is among them, with ``UndoEdit/Kind/value`` as its kind. For a computed property,
    /// these are all edits.
    package func edits<Part>(in keyPath: KeyPath<Value, Part>) -> [UndoEdit] {
      guard let offset = MemoryLayout<Value>.offset(of: keyPath) else { return edits }
      let part = offset..<(offset + MemoryLayout<Part>.size)
      return edits.filter { $0.bytes.overlaps(part) }
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

/// The contents of an `UndoHistory.Change`.
///
/// The common step, one edit without a label, fits into the report. For all others, the rest is allocated.
@usableFromInline
struct _UndoReport: Sendable {
  @usableFromInline
  let first: UndoEdit
  @usableFromInline
  let rest: Details?

  /// The label of a step, and all of its edits.
  @usableFromInline
  final class Details: Sendable {
    let label: String?
    let edits: [UndoEdit]

    init(label: String?, edits: [UndoEdit]) {
      self.label = label
      self.edits = edits
    }
  }

  @inlinable
  init(_ first: UndoEdit, _ rest: Details? = nil) {
    self.first = first
    self.rest = rest
  }

  var label: String? { rest?.label }
  var edits: [UndoEdit] { rest?.edits ?? [first] }
}
