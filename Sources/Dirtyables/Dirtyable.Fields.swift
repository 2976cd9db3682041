import Sameness

extension Dirtyable where Value: Equatable {
  /// The members of a value that are merged one by one when two sides have changed it.
  ///
  /// Make the list once and keep it:
  ///
  /// ```swift
  /// struct Person: Equatable {
  ///   var name: String, age: Double
  ///
  ///   static let fields = Dirtyable<Person>.Fields(\.name, \.age)
  /// }
  /// ```
  ///
  /// What no listed member covers is merged as one more member, so nothing is lost by a list that is not complete: it
  /// only finds conflicts where a longer list would find none. Members should not overlap; where they do, both are
  /// compared, and the later one is written last.
  public struct Fields: Sendable {
    var fields: [_Field<Value>]

    /// Lists members that are merged as wholes, each either mine or theirs.
    ///
    /// - Precondition: The key paths lead somewhere in every value that is merged. A single literal is asked whether it
    ///   does: a row that one side edited and the other one removed is in conflict.
    @_disfavoredOverload
    public init<each Member: Equatable & SendableMetatype>(
      _ keyPaths: repeat any WritableKeyPath<Value, each Member> & Sendable
    ) {
      fields = []
      for keyPath in repeat each keyPaths {
        fields.append(_Field(keyPath))
      }
    }

    /// Names a row, or a part of an optional, to be merged as a whole.
    @_documentation(visibility: internal)
    public init<Member: Equatable & SendableMetatype>(_ path: any _RowPath<Value, Member> & Sendable) {
      fields = [_Field(path)]
    }

    /// Adds an array whose elements are merged one by one, by their identity.
    ///
    /// ```swift
    /// struct Task: Identifiable, Equatable { var id: Int, title = "" }
    /// struct List: Equatable { var name = "", tasks: [Task] = [] }
    ///
    /// let fields = Dirtyable<List>.Fields(\.name).merging(elementsOf: \.tasks)
    /// ```
    ///
    /// Elements that one side inserted, removed, moved or changed come out as that side has them. The array is in
    /// conflict where both sides changed one element differently, one side changed what the other removed, both
    /// inserted one identity with different contents, or both changed the order differently. Then mine counts for that
    /// element, or for the order. Where an identity occurs twice in an array, or equals nothing, the arrays are merged
    /// as wholes.
    public func merging<Element: Identifiable & Equatable & SendableMetatype>(
      elementsOf keyPath: any WritableKeyPath<Value, [Element]> & Sendable
    ) -> Fields {
      var result = self
      result.fields.append(_Field(elementsOf: keyPath))
      return result
    }
  }
}

/// One member to merge, without its type.
struct _Field<Value>: Sendable {
  let keyPath: any PartialKeyPath<Value> & Sendable

  /// Whether the member is there: a row may be gone.
  let isThere: @Sendable (Value) -> Bool

  /// Where the member lies in a value, or nil if it is not stored there.
  private let bytes: Range<Int>?

  private let isUnchanged: @Sendable (Value, Value, _ asTyped: Bool) -> Bool

  private let write: @Sendable (_ source: Value, _ target: inout Value) -> Void

  /// Writes to a value the member that three versions, all different there, merge to; true if they are in conflict.
  let merge: @Sendable (_ base: Value, _ mine: Value, _ theirs: Value, _ target: inout Value) -> Bool

  init<Member: Equatable & SendableMetatype>(_ keyPath: any WritableKeyPath<Value, Member> & Sendable) {
    self.init(keyPath) { _, mine, _, target in
      target = mine
      return true
    }
  }

  init<Element: Identifiable & Equatable & SendableMetatype>(
    elementsOf keyPath: any WritableKeyPath<Value, [Element]> & Sendable
  ) {
    self.init(keyPath) { base, mine, theirs, target in
      let merge = _ElementMerge(base: base, mine: mine, theirs: theirs)
      target = merge.merged
      return merge.isConflicting
    }
  }

  /// A member that may be gone in one of the values.
  init<Member: Equatable & SendableMetatype>(_ path: any _RowPath<Value, Member> & Sendable) {
    // A literal captures indices and keys, which are Sendable where the path is.
    nonisolated(unsafe) let part = path.lens()
    let keyPath = unsafe unsafeBitCast(part.keyPath, to: (any WritableKeyPath<Value, Member> & Sendable).self)
    self.init(keyPath, isThere: { unsafe part.isThere($0) }) { _, mine, _, target in
      target = mine
      return true
    }
  }

  /// A member that is not there in both of two values is another where it is in one, and cannot be written.
  private init<Member: Equatable & SendableMetatype>(
    _ keyPath: any WritableKeyPath<Value, Member> & Sendable,
    isThere: @escaping @Sendable (Value) -> Bool = { _ in true },
    merge: @escaping @Sendable (Member, Member, Member, inout Member) -> Bool
  ) {
    self.keyPath = keyPath
    self.isThere = isThere
    bytes = MemoryLayout<Value>.offset(of: keyPath).map { $0..<$0 + MemoryLayout<Member>.size }
    isUnchanged = {
      guard isThere($0), isThere($1) else { return isThere($0) == isThere($1) }
      return _areUnchanged($0[keyPath: keyPath], $1[keyPath: keyPath], asTyped: $2)
    }
    write = { if isThere($0), isThere($1) { $1[keyPath: keyPath] = $0[keyPath: keyPath] } }
    self.merge = {
      guard isThere($0), isThere($1), isThere($2), isThere($3) else { return true }
      return merge($0[keyPath: keyPath], $1[keyPath: keyPath], $2[keyPath: keyPath], &$3[keyPath: keyPath])
    }
  }

  /// Whether the member is equal in two values, as typed also in the normal form of its texts.
  ///
  /// - Complexity: That of comparing the members' bytes, where these are the same.
  func isEqual(_ left: Value, _ right: Value, asTyped: Bool = false) -> Bool {
    bytes.map { UnsafeValueBytes.areSame(left, right, in: $0) } ?? false || isUnchanged(left, right, asTyped)
  }

  /// Writes the member of one value to another that differs there.
  ///
  /// A computed member may write more than it reads, and storage written is storage copied: so only what differs. What
  /// is equal in other bytes stays, unless it is a text in another normal form: the value's own `==` may tell it apart,
  /// and then it is not this member's to move.
  func copy(_ source: Value, _ target: inout Value) {
    if !isEqual(source, target, asTyped: true) { write(source, &target) }
  }
}

/// What two sides' changes to an array come to, element by element, told apart by identity.
struct _ElementMerge<Element: Identifiable & Equatable> {
  private(set) var merged: [Element]
  private(set) var isConflicting = false

  /// Merges in O(*n*) hashes and comparisons.
  init(base: [Element], mine: [Element], theirs: [Element]) {
    guard let bases = Self.indexed(base), let mines = Self.indexed(mine), let theirses = Self.indexed(theirs) else {
      merged = mine
      isConflicting = true
      return
    }

    // Which elements stay, and with which contents.
    var kept: [Element.ID: Element] = [:]
    for (id, mine) in mines {
      switch (bases[id], theirses[id]) {
      case (let base?, nil) where _isUnedited(mine, base): break
      case (nil, nil): kept[id] = mine
      case (let base?, let theirs?) where _isUnedited(mine, base): kept[id] = theirs
      case (let base, let theirs):
        kept[id] = mine
        if !_areUnchanged(theirs, mine), base.map({ !_areUnchanged(theirs, $0) }) ?? true { isConflicting = true }
      }
    }
    for (id, theirs) in theirses where mines[id] == nil {
      if let base = bases[id] {
        if !_areUnchanged(theirs, base) { isConflicting = true }
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

  /// The elements by identity, or nil if one occurs twice, or would not be found again, as one that is no number.
  private static func indexed(_ elements: [Element]) -> [Element.ID: Element]? {
    guard elements.allSatisfy({ $0.id == $0.id }) else { return nil }
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
