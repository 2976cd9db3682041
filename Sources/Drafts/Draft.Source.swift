#if canImport(SwiftUI)
  public import SwiftUI
#endif

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
    package init<Object: AnyObject>(of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
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

#if canImport(SwiftUI)
  extension Draft.Source {
    /// Makes a source of a binding.
    ///
    /// A draft that an object keeps has such a source; a view uses ``DraftBinding``:
    ///
    /// ```
    /// final class Editor {
    ///   let filter: ObservableDraft<Filter>
    ///
    ///   init(filter: Binding<Filter>) {
    ///     self.filter = ObservableDraft(source: Draft.Source(filter))
    ///   }
    /// }
    /// ```
    public init(_ binding: Binding<Value>) {
      self.init(get: { binding.wrappedValue }, set: { binding.wrappedValue = $0 })
    }
  }
#endif
