@_exported public import Sameness

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
  /// Everything that no listed member covers is merged as one more member. So an incomplete list loses nothing: it only
  /// finds conflicts that a complete list would not find. Members should not overlap; if they do, both are compared,
  /// and the later one is written last.
  public struct Fields: Sendable {
    var fields: [_Field<Value>]

    /// Lists members that are merged as wholes, each either mine or theirs.
    ///
    /// - Precondition: The key paths lead somewhere in every value that is merged. A single literal is checked for
    ///   that: a row that one side edited and the other removed is in conflict.
    @_disfavoredOverload
    public init<each Member: Equatable & SendableMetatype>(
      _ keyPaths: repeat any WritableKeyPath<Value, each Member> & Sendable
    ) {
      fields = []
      for keyPath in repeat each keyPaths {
        fields.append(_Field(keyPath))
      }
    }

    /// Names a row, or a part of an optional, that is merged as a whole.
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
    /// Elements that one side inserted, removed, moved or changed end up as that side has them. The array is in
    /// conflict if both sides changed one element differently, if one side changed an element that the other removed,
    /// if both inserted one identity with different contents, or if both changed the order differently. Then my element
    /// or my order is kept. If an identity occurs twice in an array, or doesn't equal itself, the arrays are merged as
    /// wholes.
    public func merging<Element: Identifiable & Equatable & SendableMetatype>(
      elementsOf keyPath: any WritableKeyPath<Value, [Element]> & Sendable
    ) -> Fields {
      var result = self
      result.fields.append(_Field(elementsOf: keyPath))
      return result
    }

    /// The same list, in which these rules apply to a member; a member that isn't listed is added.
    ///
    /// ```swift
    /// struct Person: Equatable {
    ///   var name: String, nick: String?
    ///
    ///   static let fields = Dirtyable<Person>.Fields(\.name, \.nick)
    ///     .normalizing(\.nick, .trimmed, .emptyIsNil)
    /// }
    ///
    /// var person = Dirtyable(Person(name: "Ada", nick: nil))
    /// person.nick = ""
    /// print(person.isDirty, person.isDirty(by: Person.fields))  // true false
    /// print(Person.fields.normalized(person.current).nick == nil)  // true
    /// ```
    /// A merge takes their value for a member that counts as unedited, and finds no conflict between two values that
    /// count as equal. It doesn't change a value to the normal one: save `normalized(_:)` of the current value.
    public func normalizing<Member: Equatable & SendableMetatype>(
      _ keyPath: any WritableKeyPath<Value, Member> & Sendable, _ rules: FieldRule<Member>...
    ) -> Fields {
      var result = self
      let index = fields.firstIndex { $0.keyPath == keyPath } ?? fields.endIndex
      if index == fields.endIndex { result.fields.append(_Field(keyPath)) }
      result.fields[index].apply(FieldRule(rules), to: keyPath)
      return result
    }

    /// The value with the normal value of each member that has a rule, to be validated or saved.
    public func normalized(_ value: Value) -> Value {
      fields.reduce(into: value) { $1.normalize?(&$0) }
    }
  }

  /// The listed members that differ from those of the original, by the rules of `fields`; `\.self` comes first if
  /// anything that isn't listed differs.
  ///
  /// - Complexity: That of comparing the value, and each member listed; O(1) while untouched.
  public func changedKeyPaths(by fields: Fields) -> [PartialKeyPath<Value>] {
    guard isDirty else { return [] }
    let (fields, original, current) = (fields.fields, original, current)
    var parts = _Parts()
    parts.rest = !_isUnedited(_Merge.carry(original, to: current, fields), original)
    parts.fields = Set(fields.indices.filter { !fields[$0].isEqual(current, original, asTyped: true) })
    return parts.keyPaths(fields).map { $0 }
  }

  /// Whether the value differs from the original, by the rules of `fields`; what isn't listed is compared as well.
  ///
  /// - Complexity: That of `changedKeyPaths(by:)`.
  public func isDirty(by fields: Fields) -> Bool { !changedKeyPaths(by: fields).isEmpty }
}

/// One member to merge, with its type erased.
struct _Field<Value>: Sendable {
  let keyPath: any PartialKeyPath<Value> & Sendable

  /// Whether a value has the member: a row may be gone.
  let isThere: @Sendable (Value) -> Bool

  /// The bytes of the member within a value, or nil if it isn't stored there.
  private let bytes: Range<Int>?

  private let isUnchanged: @Sendable (Value, Value, _ asTyped: Bool) -> Bool

  /// Whether two different values count as equal by a rule.
  private var isEqualByRule: (@Sendable (Value, Value) -> Bool)?

  /// Sets the normal value of the member.
  private(set) var normalize: (@Sendable (inout Value) -> Void)?

  private let write: @Sendable (_ source: Value, _ target: inout Value) -> Void

  /// Writes to a value the merge of three versions that all differ in the member; true if they are in conflict.
  let merge: @Sendable (_ base: Value, _ mine: Value, _ theirs: Value, _ target: inout Value) -> Bool

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
    // A literal captures indices and keys, which are Sendable if the path is.
    nonisolated(unsafe) let part = path.lens()
    let keyPath = unsafe unsafeBitCast(part.keyPath, to: (any WritableKeyPath<Value, Member> & Sendable).self)
    self.init(keyPath, isThere: { unsafe part.isThere($0) })
  }

  /// A member that only one of two values has counts as different, and can't be written.
  ///
  /// By default, a member that both sides changed keeps my value, and is in conflict.
  init<Member: Equatable & SendableMetatype>(
    _ keyPath: any WritableKeyPath<Value, Member> & Sendable,
    merge: @escaping @Sendable (Member, Member, Member, inout Member) -> Bool = { _, mine, _, target in
      target = mine
      return true
    }, isThere: @escaping @Sendable (Value) -> Bool = { _ in true }
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

  mutating func apply<Member: Equatable & SendableMetatype>(
    _ rule: FieldRule<Member>, to keyPath: any WritableKeyPath<Value, Member> & Sendable
  ) {
    isEqualByRule = { [isThere] in
      guard isThere($0), isThere($1) else { return false }
      return rule.isUnedited($0[keyPath: keyPath], $1[keyPath: keyPath]) { _areUnchanged($0, $1, asTyped: true) }
    }
    normalize = { [isThere] value in
      guard isThere(value) else { return }
      let normal = rule.normal(value[keyPath: keyPath])
      if !_areUnchanged(normal, value[keyPath: keyPath], asTyped: true) { value[keyPath: keyPath] = normal }
    }
  }

  /// Whether the member is equal in two values, or counts as equal by its rule.
  func isEqual(_ left: Value, _ right: Value, asTyped: Bool = false) -> Bool {
    isSame(left, right, asTyped: asTyped) || isEqualByRule?(left, right) ?? false
  }

  /// Whether the member is equal in two values; with `asTyped`, also in the normal form of its texts.
  ///
  /// - Complexity: That of comparing the members' bytes, if these are the same.
  private func isSame(_ left: Value, _ right: Value, asTyped: Bool) -> Bool {
    bytes.map { UnsafeValueBytes.areSame(left, right, in: $0) } ?? false || isUnchanged(left, right, asTyped)
  }

  /// Writes the member of one value to another, if they differ there.
  ///
  /// A computed member may write more than it reads, and written storage is copied, so only a member that differs is
  /// written. A member that is equal in different bytes stays, unless it is a text in another normal form: the value's
  /// own `==` may distinguish the forms, and would then find a difference that no listed member covers.
  func copy(_ source: Value, _ target: inout Value) {
    if !isSame(source, target, asTyped: true) { write(source, &target) }
  }
}

/// The merge of two sides' changes to an array, element by element, which are identified by their ids.
struct _ElementMerge<Element: Identifiable & Equatable> {
  private(set) var merged: [Element]
  private(set) var isConflicting = false

  /// Merges with O(*n*) hashes and comparisons.
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

    // In which order: that of the side that moved something, judged by the elements that all three have.
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

  /// The elements by identity, or nil if an identity occurs twice or doesn't equal itself, such as NaN.
  private static func indexed(_ elements: [Element]) -> [Element.ID: Element]? {
    guard elements.allSatisfy({ $0.id == $0.id }) else { return nil }
    let result = Dictionary(elements.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return result.count == elements.count ? result : nil
  }

  /// The kept elements of `first` in their order; those that only `second` has follow their neighbor to the left.
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
