/// A value that is not complete yet: some properties of a `Root`, each with its type, and room for the others.
///
/// A form that is being filled, an object collected over several screens, the body of a PATCH request: what is known so
/// far is set by key path, and the root is built once all is there. Nothing has to be declared for it, and `Root`'s
/// properties may be `let`.
/// ```swift
/// struct User {
///   var firstName: String
///   var lastName: String
///   var age: Int?
/// }
///
/// var partial = Partial<User>()
/// partial.update(\.firstName, to: "Ian")
/// partial.lastName = "Keen"
/// print(partial.contains(\.age))                // false
///
/// let user = try User(
///   firstName: partial.value(for: \.firstName),
///   lastName: partial.value(for: \.lastName),
///   age: partial.value(for: \.age))             // optional: nil when it is missing
/// ```
/// Absence is nil: `partial.lastName = nil` removes a value. Of an optional property, nil is also a value that can be
/// set: `partial.age = .some(nil)` does.
///
/// ## Wholes and parts
/// A property of a property is a part of it, and the two are never apart:
/// - Setting a whole makes its parts readable, and replaces what they were set to before.
/// - Writing a part of a present whole updates the whole. Removing a whole removes its parts.
/// - A whole is present only when it was set as a whole. Parts alone do not make one, not even all of them.
/// - Removing a part takes it from the whole, whose other parts stay readable. The whole is present again once the
///   removed part is set again, by its own key path or as a part of something greater; by its own parts alone it is
///   not. Until then the old value of the part lives on unseen: it is released with the whole.
/// - A struct with a single stored property (not counting those without bytes) and this property are one and the same:
///   setting either sets both, unless the property is a constant.
/// - Through a read-only key path, as that of a constant (`let`), the part alone is set: no whole around it is present
///   until the whole is set again. So no value comes into being that its type did not make:
///   `partial[\.range.lowerBound] = 20` leaves no range, and the bounds can be read. A removed constant leaves no whole
///   either, also after a merge.
///
/// ```swift
/// struct Address { var street: String; var town: String }
/// struct Person { var name: String; var address: Address }
///
/// var partial = Partial<Person>()
/// partial.address = Address(street: "Main Street 1", town: "Berlin")
/// print(partial[\.address.town]!)               // Berlin
/// partial[\.address.town] = "Bonn"
/// print(partial.address!.town)                  // Bonn
/// ```
///
/// The static type of the key path decides: `KeyPath` is read-only, also in generic code that takes one.
///
/// ## Key paths of every kind
/// A stored property of a struct or tuple, at any depth, has an offset in `Root`: its value lies there. Any other key
/// path stands for itself: computed, observed, lazy, wrapped or weak properties, properties of a class, subscripts,
/// optional chains, functions, values without any bytes. Its value is boxed under the key path in a dictionary, and is
/// neither part nor whole of anything. Where none is boxed and the root is present as a whole, the root is asked.
///
/// A setter needs a root to run on. Over an original, and where the root is present as a whole, it is run when the
/// value is set: what it writes is read at once, and so is what it makes of the value. Elsewhere, the value is read as
/// it was set, and the setter is run by `apply(to:)`. It can be run again whenever an edit is taken back, so it must
/// change nothing but its root. A property of an object, to which all copies of the root refer, is written only by
/// `apply(to:)`.
///
/// What is set through a key path that is read-only and leads to no stored property, as the optional chain
/// `\.address?.town`, cannot be written to a root: `apply(to:)` returns its key path, and to encode it throws, unless
/// the schema has a name for it.
///
/// A member of `Root` whose name `Partial` uses itself is reached by subscript: `partial[\.count]`.
///
/// ## Fields of a form
/// `form[\.name, default: ""]` is never nil, so that a text field binds to `$form[\.name, default: ""]`. A field of
/// another type enters what is typed: `form.enter("4x", at: \.age) { Int($0) }` keeps the text, which `entered(\.age)`
/// returns, and a validation reports it until it is understood.
///
/// ## Layout
/// A partial is one reference to one buffer, shared by copies until one of them is written to:
/// ```
///  object     header           root               presence            entries
/// ┌────────┬─────────────┬─────────────────┬─────────────────────┬────────────────────┐
/// │16 bytes│   16 bytes  │ the root's bytes│ 1 word per 32 bytes │ 12 bytes per entry │
/// └────────┴─────────────┴─────────────────┴─────────────────────┴────────────────────┘
/// ```
/// With a literal key path, a read is a comparison of presence bits with a constant and a load at a constant offset, a
/// write a uniqueness check more; no key path is built. An entry remembers the type of a value that was set, for the
/// day it must go.
///
/// Over an original (`Partial(over:)`), what is not set is read from there, and `changes` has what was set.
///
/// A partial is `Sendable` when its root is. To keep that true, a value which the root does not store must be
/// `Sendable` itself: one whose type is not known to be (in generic code: `Value` without `Value: Sendable`) traps when
/// it is set.
///
/// - Complexity: Reading and writing is O(1) in the number of properties. It is O(`count`) to set the first value where
///   others are inside or around it, to change one in place, and to read once a constant was set. Writing to a shared
///   partial copies it first.
@dynamicMemberLookup
public struct Partial<Root> {
  @usableFromInline var _storage: _UnsafePartialStorage<Root>

  /// Makes a partial without any value.
  @inlinable
  public init() {
    _storage = .make()
  }

  /// Makes a partial in which all of `root` is present: the whole, and so each property.
  ///
  /// To edit a root and know what was changed, make a partial over it instead: `init(over:)`.
  ///
  /// - Complexity: O(1)
  @inlinable
  public init(_ root: Root) {
    self.init()
    self[_at: \Root.self, in: _PartialField(\Root.self), isConstant: false] = root
  }

  init(_storage: _UnsafePartialStorage<Root>) { self._storage = _storage }

  /// How many values have been set and are still there.
  ///
  /// A whole counts once, however many of its parts have been removed. An original below does not count.
  ///
  /// - Complexity: O(1)
  public var count: Int {
    let set = changes._storage
    return set.entryCount + (set.extras?.boxed.count ?? 0)
  }

  /// Whether no value is set; over an original, whether nothing was set on top of it.
  ///
  /// - Complexity: O(1)
  public var isEmpty: Bool { count == 0 }

  @inlinable @inline(__always)
  func _checkInvariants() { _storage.checkInvariants() }
}

// The buffer is written to only while one partial holds it. It holds parts of a root, and values that were checked to
// be Sendable when they were set.
extension Partial: @unchecked Sendable where Root: Sendable {}

extension Partial {
  /// The root's schema, if it provides one.
  var _schema: Schema? { (Root.self as? any PartialSchemaProviding.Type).flatMap { $0._erasedSchema as? Schema } }
}

extension PartialSchemaProviding {
  fileprivate static var _erasedSchema: Any { partialSchema }
}
