extension Draft {
  /// Where the value of a draft lives: how to read it there, and how to write it.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// let volume = Draft<Double>.Source(
  ///   get: { UserDefaults.standard.double(forKey: "volume") },
  ///   set: { UserDefaults.standard.set($0, forKey: "volume") })
  /// ```
  @frozen
  public struct Source {
    @usableFromInline
    let get: () -> Value

    @usableFromInline
    let set: (Value) -> Void

    /// Makes a source of two closures.
    ///
    /// - Parameters:
    ///   - get: reads the value. Called often; it should be as cheap as reading a property.
    ///   - set: writes the value. Called once for each commit that has something to write. Must not use the ``Draft``
    ///     that calls it, which is being changed then; an ``ObservableDraft`` it may use, and edit.
    @inlinable
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
      self.get = get
      self.set = set
    }

    /// Makes a source of a property of `object`, which the source keeps alive.
    @inlinable
    public init<Object: AnyObject>(of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
      self.init(get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
    }

    /// The value that the source holds now.
    @inlinable
    public var value: Value {
      get { get() }
      nonmutating set { set(newValue) }
    }
  }
}
