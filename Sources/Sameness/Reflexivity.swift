#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// Finds out which types may hold a value that doesn't equal itself, such as NaN, without their `==` showing it.
///
///     struct with a Double      does not equal itself, so that `==` tells
///     struct with a [Double]    equals itself while both share storage, and does not equal a copy in other storage
///
/// When a value of the second kind doesn't equal another, its members have to be compared one by one, which takes a
/// hundred times as long as `==`. The answer is cached for each type, so that a form of texts and numbers doesn't pay
/// for it.
enum Reflexivity {
  #if canImport(Darwin)
    private static let known = OSAllocatedUnfairLock(initialState: [ObjectIdentifier: Bool]())
  #else
    private static let known = Mutex([ObjectIdentifier: Bool]())
  #endif

  /// Whether values of this type may hide a value that doesn't equal itself.
  ///
  /// The first value decides for its type. An empty array decides nothing: the answer is yes until an array has
  /// elements. An existential is assumed to always hold the type that it holds in the first value.
  ///
  /// - Complexity: O(1), once a value has decided.
  static func mayHide<Value>(in value: Value) -> Bool {
    let id = ObjectIdentifier(Value.self)
    if let known = known.withLock({ $0[id] }) { return known }
    guard let result = mayHide(value, of: Value.self, inContainer: false, depth: 0) else { return true }
    known.withLock { $0[id] = result }
    return result
  }

  /// Returns nil if the value doesn't decide.
  private static func mayHide(_ value: Any?, of type: Any.Type, inContainer: Bool, depth: Int) -> Bool? {
    // Outside of a container, a value without references doesn't hide it: its own `==` shows it.
    if isReflexive(type) || !inContainer && isTrivial(type) { return false }
    if let container = type as? any _Container.Type {
      // Unwraps the parameter first, because an optional is a container too.
      let examples = value.flatMap { $0 as? any _Container }?.examples ?? []
      let isInContainer = inContainer || container.sharesStorage
      return isAnyTrue(
        container.contents.enumerated().map { index, content in
          mayHide(
            examples.isEmpty ? nil : examples[index], of: content, inContainer: isInContainer, depth: depth + 1)
        })
    }
    guard let value, depth < 20 else { return nil }
    guard let mirror = _wholeMirror(of: value), mirror.displayStyle == .struct || mirror.displayStyle == .tuple else {
      return true
    }
    return isAnyTrue(
      mirror.children.map {
        mayHide($0.value, of: Swift.type(of: $0.value), inContainer: inContainer, depth: depth + 1)
      })
  }

  /// Whether every value of a type certainly equals itself, or can't be inspected anyway.
  private static func isReflexive(_ type: Any.Type) -> Bool {
    if type is any BinaryInteger.Type || type is any StringProtocol.Type || type is AnyClass { return true }
    if isTrivial(type, maxSize: 1) || type == Character.self { return true }
    let name = _typeName(type, qualified: true)
    return name.hasPrefix("Foundation") && [".UUID", ".URL", ".Data"].contains { name.hasSuffix($0) }
  }

  private static func isTrivial(_ type: Any.Type, maxSize: Int = .max) -> Bool {
    func isTrivial<Value>(_: Value.Type) -> Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= maxSize }
    return isTrivial(type)
  }

  /// True if any answer is true, otherwise nil if any answer is nil.
  private static func isAnyTrue(_ answers: [Bool?]) -> Bool? {
    answers.contains(true) ? true : answers.contains(nil) ? nil : false
  }
}

/// A generic container whose type names the types of its contents.
private protocol _Container {
  static var contents: [Any.Type] { get }
  /// Whether copies share storage, so that `==` finds them equal without comparing the contents.
  static var sharesStorage: Bool { get }
  /// One value of each type in `contents`; empty if the container is empty.
  var examples: [Any] { get }
}

extension Optional: _Container {
  fileprivate static var contents: [Any.Type] { [Wrapped.self] }
  fileprivate static var sharesStorage: Bool { false }
  fileprivate var examples: [Any] { map { [$0] } ?? [] }
}

extension _Container where Self: Collection {
  fileprivate static var contents: [Any.Type] { [Element.self] }
  fileprivate static var sharesStorage: Bool { true }
  fileprivate var examples: [Any] { first.map { [$0] } ?? [] }
}

extension Array: _Container {}
extension ArraySlice: _Container {}
extension ContiguousArray: _Container {}
extension Set: _Container {}

extension Dictionary: _Container {
  fileprivate static var contents: [Any.Type] { [Key.self, Value.self] }
  fileprivate var examples: [Any] { first.map { [$0.key, $0.value] } ?? [] }
}
