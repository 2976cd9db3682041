/// What two sides' changes to an array come to, element by element, told apart by identity.
internal struct _ElementMerge<Element: Identifiable & Equatable> {
  internal private(set) var merged: [Element]
  internal private(set) var isConflicting = false

  /// Merges in O(*n*) hashes and comparisons.
  internal init(base: [Element], mine: [Element], theirs: [Element]) {
    guard let bases = Self.indexed(base), let mines = Self.indexed(mine), let theirses = Self.indexed(theirs) else {
      merged = mine
      isConflicting = true
      return
    }

    // Which elements stay, and with which contents.
    var kept: [Element.ID: Element] = [:]
    for (id, mine) in mines {
      switch (bases[id], theirses[id]) {
      case (let base?, nil) where mine == base: break
      case (nil, nil): kept[id] = mine
      case (let base?, let theirs?) where mine == base: kept[id] = theirs
      case (let base, let theirs):
        kept[id] = mine
        if theirs != base, theirs != mine { isConflicting = true }
      }
    }
    for (id, theirs) in theirses where mines[id] == nil {
      if let base = bases[id] {
        if theirs != base { isConflicting = true }
      } else {
        kept[id] = theirs
      }
    }

    // In which order: that of the side that moved something, seen by the elements that all three have.
    let order = (
      mine: mine.map(\.id).filter { theirses[$0] != nil }, theirs: theirs.map(\.id).filter { mines[$0] != nil }
    )
    guard order.mine != order.theirs else {
      merged = Self.interleave((theirs, mine), keeping: kept)
      return
    }
    let common = base.map(\.id).filter { mines[$0] != nil && theirses[$0] != nil }
    let haveIMoved = order.mine.filter { bases[$0] != nil } != common
    let haveTheyMoved = order.theirs.filter { bases[$0] != nil } != common
    if haveIMoved == haveTheyMoved { isConflicting = true }
    merged = Self.interleave(haveIMoved || !haveTheyMoved ? (mine, theirs) : (theirs, mine), keeping: kept)
  }

  /// The elements by identity, or nil if one occurs twice.
  private static func indexed(_ elements: [Element]) -> [Element.ID: Element]? {
    let result = Dictionary(elements.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return result.count == elements.count ? result : nil
  }

  /// The kept elements of `first` in their order, those of `second` alone behind their neighbour to the left.
  private static func interleave(
    _ sides: (first: [Element], second: [Element]), keeping kept: [Element.ID: Element]
  ) -> [Element] {
    let anchors = Set(sides.first.lazy.map(\.id).filter { kept[$0] != nil })
    var followers: [Element.ID?: [Element]] = [:]
    var anchor: Element.ID?
    for element in sides.second {
      if anchors.contains(element.id) {
        anchor = element.id
      } else if let element = kept[element.id] {
        followers[anchor, default: []].append(element)
      }
    }
    var result = followers[nil] ?? []
    for element in sides.first {
      guard let element = kept[element.id] else { continue }
      result.append(element)
      result += followers[element.id] ?? []
    }
    return result
  }
}
