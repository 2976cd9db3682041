/// What the latest exchange of a delta did, and where, to any depth.
///
/// An `UndoEdit` names the outermost collection only, so that it fits into registers. This is made where a view follows
/// a step, and nowhere else.
@usableFromInline
struct _UndoDetailedEdit {
  /// The elements on the way, outermost first.
  let levels: [_UndoLevel]
  /// The part that the delta exchanges, in the last of those elements.
  let partRange: _UndoPartRange
  let kind: UndoEdit.Kind
  /// The text that lay in the range, where the part is a text.
  let replacedText: String?
  /// What happened to the elements one by one, where that is more than the kind says.
  let changes: [UndoElementsChange]?
  /// What the kind does not say, and a view does not ask for.
  let detail: Detail

  @usableFromInline
  enum Detail {
    case none
    /// The range is that of one element, which came or went alone.
    case oneElement
    /// The key of a dictionary, or the member of a set.
    case entry(Any)
  }

  @usableFromInline
  init(
    levels: [_UndoLevel], partRange: _UndoPartRange, kind: UndoEdit.Kind,
    replacedText: String? = nil, changes: [UndoElementsChange]? = nil, detail: Detail = .none
  ) {
    self.levels = levels
    self.partRange = partRange
    self.kind = kind
    self.replacedText = replacedText
    self.changes = changes
    self.detail = detail
  }

  /// Whether a range of a text or of elements was replaced.
  var isRange: Bool { if case .range = kind { true } else { false } }

  func isOfSamePart(as other: Self) -> Bool { partRange == other.partRange && levels == other.levels }

  /// Whether one element came or went, of which the collection is the delta's own.
  var isOfOneElement: Bool { if case .oneElement = detail { true } else { false } }

  /// The ranges of the elements that went, where those were several.
  var removals: [Range<Int>]? {
    guard let changes else { return nil }
    var ranges: [Range<Int>] = []
    for case .range(let old, let new) in changes.reversed() where new.isEmpty { ranges.append(old) }
    return ranges.count == changes.count ? ranges : nil
  }
}

extension _UndoDetailedEdit {
  /// The ranges of the elements that came, where those were several.
  var insertions: [Range<Int>]? {
    guard let changes, changes.count > 1 else { return nil }
    var ranges: [Range<Int>] = []
    for case .range(let old, let new) in changes where old.isEmpty { ranges.append(new) }
    return ranges.count == changes.count ? ranges : nil
  }
}

extension _UndoAnchor {
  /// What happened to the part of this type at this offset.
  @inlinable
  func detailedEdit<Part>(
    _ kind: UndoEdit.Kind, at offset: Int, of type: Part.Type,
    replacedText: String? = nil, changes: [UndoElementsChange]? = nil, detail: _UndoDetailedEdit.Detail = .none
  ) -> _UndoDetailedEdit {
    var levels: [_UndoLevel] = []
    appendLevels(to: &levels)
    return _UndoDetailedEdit(
      levels: levels, partRange: _UndoPartRange(type, at: offset), kind: kind, replacedText: replacedText,
      changes: changes, detail: detail)
  }
}
