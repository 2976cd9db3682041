// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stub of the other parts of SwiftUI that the articles about editors use: scenes, commands, documents, and the
// environment.
//
// Signatures follow Apple's documentation, but code that compiles here may not compile under Xcode.

@MainActor @preconcurrency
public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

public protocol PrimitiveScene: Scene where Body == Never {}

extension PrimitiveScene {
  public var body: Never { fatalError("drawn by nobody") }
}

@resultBuilder
public struct SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}

public struct WindowGroup<Content: View>: PrimitiveScene {
  public nonisolated init(@ViewBuilder content: () -> Content) {}
}

public protocol ReferenceFileDocument: AnyObject, Sendable {
  associatedtype Snapshot
  func snapshot() throws -> Snapshot
}

@MainActor @preconcurrency
public struct ReferenceFileDocumentConfiguration<Document: ReferenceFileDocument> {
  public var document: Document
}

public struct DocumentGroup<Document: ReferenceFileDocument, Content: View>: PrimitiveScene {
  @preconcurrency
  public nonisolated init(
    newDocument: @escaping @Sendable () -> Document,
    @ViewBuilder editor: @escaping (ReferenceFileDocumentConfiguration<Document>) -> Content
  ) {}
}

// MARK: Commands

@MainActor @preconcurrency
public protocol Commands {
  associatedtype Body: Commands
  @CommandsBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Commands {}

public protocol PrimitiveCommands: Commands where Body == Never {}

extension PrimitiveCommands {
  public var body: Never { fatalError("drawn by nobody") }
}

public struct TupleCommands<each Content: Commands>: PrimitiveCommands {
  nonisolated init(_ content: repeat each Content) {}
}

@resultBuilder
public struct CommandsBuilder {
  public static func buildBlock<Content: Commands>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: Commands>(
    _ content: repeat each Content
  ) -> TupleCommands<repeat each Content> { TupleCommands(repeat each content) }
}

public struct CommandGroupPlacement: Sendable {
  public static let undoRedo = CommandGroupPlacement()
  public static let saveItem = CommandGroupPlacement()
}

public struct CommandGroup<Content: View>: PrimitiveCommands {
  public nonisolated init(replacing group: CommandGroupPlacement, @ViewBuilder addition: () -> Content) {}
}

struct CommandedScene: PrimitiveScene {}

extension Scene {
  public nonisolated func commands<Content: Commands>(@CommandsBuilder content: () -> Content) -> some Scene {
    CommandedScene()
  }
}

public struct KeyEquivalent: ExpressibleByExtendedGraphemeClusterLiteral, Sendable {
  public init(extendedGraphemeClusterLiteral character: Character) {}
}

public struct EventModifiers: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let command = EventModifiers(rawValue: 1)
  public static let shift = EventModifiers(rawValue: 2)
}

extension View {
  public nonisolated func keyboardShortcut(
    _ key: KeyEquivalent, modifiers: EventModifiers = .command
  ) -> some View { EmptyView() }

  public nonisolated func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View { EmptyView() }
}

extension View {
  public nonisolated func navigationTitle(_ title: some StringProtocol) -> some View { EmptyView() }

  public nonisolated func alert<Actions: View, Message: View>(
    _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
    @ViewBuilder message: () -> Message
  ) -> some View { EmptyView() }

  public nonisolated func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View { EmptyView() }
}

// MARK: The environment

public struct EnvironmentValues {
  public var scenePhase: ScenePhase { .active }
}

public enum ScenePhase: Comparable, Sendable {
  case background, inactive, active
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
  private let keyPath: KeyPath<EnvironmentValues, Value>

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

  public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}
