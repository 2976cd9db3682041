/// A value that isn't complete yet: it holds some properties of a `Root`, each with its type, and has room for the
/// others.
///
/// Use a partial for a form that is being filled in, an object collected over several screens, or the body of a PATCH
/// request. You set values by key path as they become known, and build the root once all of them are there. The root
/// needs no special declarations, and its properties may be `let`.
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
/// Assigning nil removes a value: `partial.lastName = nil`. To set an optional property to nil, wrap it: `partial.age =
/// .some(nil)`.
///
/// ## Wholes and parts
/// A property of a property is a part of it, and the two always agree:
/// - Setting a whole makes its parts readable, and replaces their previous values.
/// - Writing a part of a whole that is present updates the whole. Removing a whole removes its parts.
/// - A whole is present only if it was set as a whole. Setting its parts, even all of them, doesn't make it present.
/// - Removing a part removes it from the whole, whose other parts stay readable. The whole is present again once the
///   removed part is set again, by its own key path or as a part of something greater. Setting the parts of the removed
///   part isn't enough. Until then the old value of the removed part stays in memory, and is released with the whole.
/// - A struct with a single stored property (not counting properties without bytes) is the same as this property:
///   setting either sets both, unless the property is a constant.
/// - Setting a value through a read-only key path, such as that of a constant (`let`), sets only the part: no whole
///   around it is present until the whole is set again. So a partial never makes a value that its type didn't make:
///   after `partial[\.range.lowerBound] = 20`, the range is absent, but its bounds can be read. Removing a constant
///   also leaves the whole absent, even after a merge.
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
/// The static type of the key path decides: a `KeyPath` counts as read-only, also in generic code that takes one.
///
/// ## Key paths of every kind
/// A stored property of a struct or tuple, at any depth, has an offset in `Root`, and its value is stored there. All
/// other key paths have no offset: those of computed, observed, lazy, wrapped or weak properties, properties of a
/// class, subscripts, optional chains, functions, and values without any bytes. Their values are boxed in a dictionary,
/// and are neither part nor whole of anything. If no value is boxed under a key path and the root is present as a
/// whole, the value is read from the root.
///
/// A setter needs a root to run on. Over an original, or if the root is present as a whole, the setter runs when the
/// value is set, and reading returns what the setter made of the value and of other properties. Otherwise reading
/// returns the value as it was set, and `apply(to:)` runs the setter. A setter can run again whenever an edit is rolled
/// back, so it must change nothing but its root. A property of an object is written only by `apply(to:)`, because all
/// copies of the root refer to the same object.
///
/// A value set through a read-only key path that leads to no stored property, such as the optional chain
/// `\.address?.town`, can't be written to a root: `apply(to:)` returns its key path, and encoding it throws unless the
/// schema has a name for it.
///
/// If `Partial` has a member of the same name, use the subscript to reach the root's: `partial[\.count]`.
///
/// ## Fields of a form
/// `form[\.name, default: ""]` is never nil, so a text field can bind to `$form[\.name, default: ""]`. For a value of
/// another type, a field enters the typed text: `form.enter("4x", at: \.age) { Int($0) }` keeps the text, and
/// `entered(\.age)` returns it. A validation reports the text as long as it isn't understood.
///
/// ## Originals, copies and tasks
/// Copies of a partial share their values until one of them is written to.
///
/// In a partial over an original (`Partial(over:)`), properties that aren't set are read from the original, and
/// `changes` has the values that were set.
///
/// A partial is `Sendable` if its root is. To keep that true, a value that the root doesn't store must be `Sendable`
/// itself: setting one whose type isn't known to be Sendable traps. In generic code, that is a `Value` without `Value:
/// Sendable`.
///
/// - Complexity: Reading and writing are O(1) in the number of properties. Three operations are O(`count`): setting the
///   first value where others are inside or around it, changing a value in place, and reading once a constant was set.
///   Writing to a shared partial copies it first.
@dynamicMemberLookup
public struct Partial<Root> {
  @usableFromInline var _storage: _UnsafePartialStorage<Root>

  /// Makes an empty partial.
  @inlinable
  public init() { _storage = .make() }

  /// Makes a partial in which `root` is present as a whole, and so is each of its properties.
  ///
  /// To edit a root and know which properties changed, use `init(over:)` instead.
  ///
  /// - Complexity: O(1)
  @inlinable
  public init(_ root: Root) {
    self.init()
    self[_at: \Root.self, in: _PartialField(\Root.self), isConstant: false] = root
  }

  init(_storage: _UnsafePartialStorage<Root>) { self._storage = _storage }

  /// The number of values that have been set and not removed.
  ///
  /// A whole counts once, however many of its parts have been removed. The original below doesn't count.
  ///
  /// - Complexity: O(1)
  public var count: Int {
    let set = changes._storage
    return set.entryCount + (set.extras?.boxed.count ?? 0)
  }

  /// Whether no value is set, not counting an original below.
  ///
  /// - Complexity: O(1)
  public var isEmpty: Bool { count == 0 }

  @inlinable @inline(__always)
  func _checkInvariants() { _storage.checkInvariants() }
}

// A partial writes to its buffer only while it holds the only reference. The buffer holds parts of a root, and values
// that were checked to be Sendable when they were set.
extension Partial: @unchecked Sendable where Root: Sendable {}

extension Partial {
  /// The root's schema, if it provides one.
  var _schema: Schema? {
    func schema<Provider: PartialSchemaProviding>(of _: Provider.Type) -> Any { Provider.partialSchema }
    return (Root.self as? any PartialSchemaProviding.Type).flatMap { schema(of: $0) as? Schema }
  }
}
