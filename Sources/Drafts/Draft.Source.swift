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
    /// Returns the value that the source holds now, or nil if it is gone.
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
  }
}

extension Draft.Source where Value: Identifiable {
  /// Makes a source from the row with this identity in an array of `object`, which the source keeps alive.
  ///
  /// A commit may give the row another identity, which is the one to look for from then on. The row is looked for where
  /// it was last, so that it is found if another row has the same identity by then.
  package init<Object: AnyObject>(
    of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, [Value]>, id: Value.ID
  ) {
    var (ids, index) = ([id], 0)
    func isFound() -> Bool {
      let rows = object[keyPath: keyPath]
      if rows.indices.contains(index), ids.contains(rows[index].id) { return true }
      guard let found = rows.firstIndex(where: { ids.contains($0.id) }) else { return false }
      index = found
      return true
    }
    self.init(
      get: { isFound() ? object[keyPath: keyPath][index] : nil },
      set: { row in
        guard isFound() else { return }
        // Observers are notified before and after the row has its new identity.
        ids.append(row.id)
        object[keyPath: keyPath][index] = row
        ids = [row.id]
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
