package import Dirtyables

#if canImport(SwiftUI)
  public import SwiftUI
#endif

extension Draft {
  /// The place where the value of a draft lives: how to read it there, and how to write it.
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
    let read: () -> Value?

    @usableFromInline
    let write: (Value) -> Void

    /// Makes a source from two closures.
    ///
    /// The value may be gone later, such as a row of a list or the contents of an optional. A draft whose source is
    /// gone keeps its edits: ``Draft/sourceChanged`` is true, `commit(_:)` throws, and nothing is written.
    ///
    /// ```swift
    /// struct Person { var name = "" }
    /// final class Model { var selected: Person? = Person() }
    ///
    /// let model = Model()
    /// let name = Draft<String>.Source(get: { model.selected?.name }, set: { model.selected?.name = $0 })
    /// ```
    ///
    /// - Parameters:
    ///   - get: Reads the value, or returns nil if it is gone. It is called often, and should be as cheap as reading a
    ///     property.
    ///   - set: Writes the value, which was found just before. It is called once for each commit that has something to
    ///     write. It must not use the ``Draft`` that calls it, which is being changed at that moment; it may use and
    ///     edit an ``ObservableDraft``.
    @inlinable
    public init(get: @escaping () -> Value?, set: @escaping (Value) -> Void) {
      read = get
      write = set
    }

    /// Makes a source from a property of `object`, which the source keeps alive.
    @inlinable
    package init<Object: AnyObject>(of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
      self.init(get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
    }

    /// Makes a source from a part of `object` that may be gone, which keeps the object alive.
    package init<Object: AnyObject>(of object: Object, _ path: _RowPath<Object, Value>) {
      let part = path.lens()
      self.init(
        get: { part.find(in: object) },
        set: { value in
          var object = object
          part.replace(in: &object, with: value)
        })
    }

    /// The value that the source holds now, or nil if it is gone.
    @inlinable
    var value: Value? { read() }
  }
}

extension Draft.Source where Value: Identifiable {
  /// Makes a source from the row with this identity in an array of `object`, which the source keeps alive.
  package init<Object: AnyObject>(
    of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, [Value]>, id: Value.ID
  ) {
    self.init(
      get: { object[keyPath: keyPath].first { $0.id == id } },
      set: { row in
        guard let index = object[keyPath: keyPath].firstIndex(where: { $0.id == id }) else { return }
        object[keyPath: keyPath][index] = row
      })
  }
}

#if canImport(SwiftUI)
  extension Draft.Source {
    /// Makes a source from a binding.
    ///
    /// Use it for a draft that an object keeps; a view uses ``DraftBinding``:
    ///
    /// ```
    /// final class Editor {
    ///   let filter: ObservableDraft<Filter>
    ///
    ///   init(filter: Binding<Filter>) {
    ///     self.filter = ObservableDraft(Draft(source: Draft.Source(filter)))
    ///   }
    /// }
    /// ```
    public init(_ binding: Binding<Value>) {
      self.init(get: { binding.wrappedValue }, set: { binding.wrappedValue = $0 })
    }
  }
#endif
