#if canImport(SwiftUI)
  import Dirtyables
  public import SwiftUI

  /// An editable copy of a binding's value, written back by ``commit()``; its names are those of the post
  /// "BindingWrapper".
  ///
  /// ```
  /// struct FilterScreen: View {
  ///   private var filter: BindingWrapper<Filter>
  ///
  ///   init(filter: Binding<Filter>) {
  ///     self.filter = BindingWrapper(value: filter)
  ///   }
  ///
  ///   var body: some View {
  ///     TextField("Text", text: filter.$value.text)
  ///     Button("Apply") { filter.commit() }
  ///   }
  /// }
  /// ```
  ///
  /// The value can be of any type. As in the post, a commit overwrites the source even if it has changed meanwhile.
  /// ``DraftBinding`` finds such conflicts, knows whether there are edits, and can roll them back.
  public struct BindingWrapper<Value>: DynamicProperty {
    /// The value as it is now, edits included; `$value` is a binding to it.
    @MainActor @Copy public var value: Value

    /// Makes an editable copy of the value that `value` is bound to.
    @MainActor
    public init(value: Binding<Value>) {
      _value = Copy(of: value)
    }

    /// Writes the value to the source if it was edited, whatever the source holds now.
    @MainActor
    public func commit() { _value.commit() }
  }

  extension BindingWrapper {
    /// The value of a binding until it is edited, and then the edited copy.
    @propertyWrapper
    public struct Copy: DynamicProperty {
      @Binding private var source: Value
      /// Nil if nothing was edited.
      @State private var edits: Dirtyable<Value>?

      init(of source: Binding<Value>) {
        _source = source
        _edits = State(initialValue: nil)
      }

      /// The value as it is now, edits included.
      @MainActor
      public var wrappedValue: Value {
        get { edits?.current ?? source }
        nonmutating set {
          var edited = edits ?? Dirtyable(source)
          edited.current = newValue
          edits = edited
        }
      }

      /// A binding to the value as it is now.
      @MainActor
      public var projectedValue: Binding<Value> {
        Binding(get: { @MainActor in wrappedValue }, set: { @MainActor in wrappedValue = $0 })
      }

      @MainActor
      fileprivate func commit() {
        guard let edits else { return }
        self.edits = nil
        if edits.isDirty { source = edits.current }
      }
    }
  }
#endif
