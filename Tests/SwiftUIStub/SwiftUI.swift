// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stub of the parts of SwiftUI that DraftBinding and the examples use, to compile them on systems without SwiftUI.
//
// Signatures follow Apple's documentation, but code that compiles here may not compile under Xcode. State and Binding
// work, so that the logic of the views can be run. Views aren't drawn.

@_exported public import Observation

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("drawn by nobody") }
}

public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
  public var body: Never { fatalError("drawn by nobody") }
}

public struct EmptyView: PrimitiveView {
  public nonisolated init() {}
}

public struct TupleView<each Content: View>: PrimitiveView {
  nonisolated init(_ content: repeat each Content) {}
}

@resultBuilder
public struct ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<repeat each Content> {
    TupleView(repeat each content)
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<First: View, Second: View>(first: First) -> ConditionalView<First, Second> {
    ConditionalView()
  }
  public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalView<First, Second> {
    ConditionalView()
  }
}

public struct ConditionalView<First: View, Second: View>: PrimitiveView {
  nonisolated init() {}
}

extension Optional: View, PrimitiveView where Wrapped: View {
  public typealias Body = Never
}

public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

@propertyWrapper
public struct State<Value>: DynamicProperty {
  private let storage: Storage<Value>

  public init(wrappedValue value: Value) { storage = Storage(value) }
  public init(initialValue value: Value) { storage = Storage(value) }

  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set { storage.value = newValue }
  }

  public var projectedValue: Binding<Value> {
    Binding(reading: { [storage] in storage.value }, writing: { [storage] in storage.value = $0 })
  }
}

extension State: @unchecked Sendable where Value: Sendable {}

/// How often any state was written; SwiftUI draws the view again after each write.
nonisolated(unsafe) public var stateWrites = 0

private final class Storage<Value> {
  var value: Value { didSet { stateWrites += 1 } }

  init(_ value: Value) {
    self.value = value
  }
}

@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value>: DynamicProperty {
  private let read: () -> Value
  private let write: (Value) -> Void

  @preconcurrency
  public init(
    @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
    @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {
    // The closures are isolated to the main actor or not at all, and they are only called on the main actor.
    read = unsafeBitCast(get, to: (() -> Value).self)
    write = unsafeBitCast(set, to: ((Value) -> Void).self)
  }

  fileprivate init(reading read: @escaping () -> Value, writing write: @escaping (Value) -> Void) {
    self.read = read
    self.write = write
  }

  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }

  public static func constant(_ value: Value) -> Binding<Value> { Binding(reading: { value }, writing: { _ in }) }

  public var projectedValue: Binding<Value> { self }

  public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding<Subject>(
      reading: { self.wrappedValue[keyPath: keyPath] }, writing: { self.wrappedValue[keyPath: keyPath] = $0 })
  }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

@propertyWrapper
@dynamicMemberLookup
public struct Bindable<Value> {
  public var wrappedValue: Value

  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  public var projectedValue: Bindable<Value> { self }
}

extension Bindable where Value: AnyObject & Observable {
  public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding<Subject>(
      reading: { wrappedValue[keyPath: keyPath] }, writing: { wrappedValue[keyPath: keyPath] = $0 })
  }
}

public struct Text: PrimitiveView {
  public init(_ content: some StringProtocol) {}
}

public struct TextField: PrimitiveView {
  public init(_ title: some StringProtocol, text: Binding<String>) {}
}

public struct TextEditor: PrimitiveView {
  public init(text: Binding<String>) {}
}

public struct Slider: PrimitiveView {
  public init<Number: BinaryFloatingPoint>(
    value: Binding<Number>, in bounds: ClosedRange<Number>, onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {}
}

public struct Button: PrimitiveView {
  @preconcurrency
  public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

public struct ForEach<Items: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
  public init(
    _ items: Items, id: KeyPath<Items.Element, ID>, @ViewBuilder content: @escaping (Items.Element) -> Content
  ) {}
}

public struct Form<Content: View>: PrimitiveView {
  public init(@ViewBuilder content: () -> Content) {}
}

extension View {
  public nonisolated func disabled(_ isDisabled: Bool) -> some View { EmptyView() }
}
