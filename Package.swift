// swift-tools-version: 6.2

import PackageDescription

/// Every library target, with all targets that it depends on, including indirect ones.
///
/// The package manager recompiles a target only if a dependency that it names has changed. It would keep old inlined
/// code of any other one without a warning, so bench would measure an outdated library.
let libraries: KeyValuePairs<String, [Target.Dependency]> = [
  "UniqueQueues": [],
  "UndoHistories": ["Sameness"],
  "UndoArchives": ["Sameness", "UndoHistories"],
  "UndoManagers": ["Sameness", "UndoHistories"],
  "FoundationLeaves": ["Sameness", "UndoHistories"],
  "Partials": ["Sameness"],
  "Dirtyables": ["Sameness"],
  "Drafts": ["Dirtyables", "Sameness"],
  "PendingChanges": ["UniqueQueues"],
  "FileChanges": ["Journals", "PendingChanges", "UniqueQueues"],
  "EditingSessions": [
    "FileChanges", "Journals", "PendingChanges", "Sameness", "UndoArchives", "UndoHistories", "UniqueQueues",
  ],
  "Outboxes": ["Journals", "PendingChanges", "UniqueQueues"],
]

/// Targets without a product: their few public symbols are re-exported by the libraries that use them.
let internals: KeyValuePairs<String, [Target.Dependency]> = [
  "Journals": [],
  "Sameness": [],
]

let modules = Array(internals) + Array(libraries)

/// Libraries that don't depend on archives, but whose tests put their values into archives.
let archived = ["FoundationLeaves", "UndoHistories", "UndoManagers"]

/// The umbrella library and all of its dependencies.
let toolkit = ["Unsaved"] + modules.map { name, _ in name }
let onToolkit = toolkit.map { Target.Dependency.byName(name: $0) }

/// The test targets to declare, with the targets that they depend on; nil for all targets.
///
/// In the environment, spaces separate their names.
let tests = Context.environment["UNSAVED_TESTS"].map { $0.split(separator: " ").map(String.init) }

let package = Package(
  name: "swift-unsaved",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [.library(name: "Unsaved", targets: toolkit)]
    + libraries.map { name, _ in .library(name: name, targets: [name]) },
  traits: [
    .trait(name: "Peers", description: "Lets bench measure against swift-collections."),
    .trait(name: "InternalChecks", description: "Checks every invariant after every mutation. Slow; for tests."),
  ],
  dependencies: [
    // No library target uses it, so a consumer never fetches it, and this package fetches it only with the trait.
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0")
  ],
  targets: modules.map { name, dependencies in .target(name: name, dependencies: dependencies) } + [
    .target(name: "Unsaved", dependencies: modules.map { name, _ in .byName(name: name) }),

    // Not a declared product, because then every consumer would fetch the dependencies that only bench uses.
    .executableTarget(
      name: "bench",
      dependencies: onToolkit + [
        "AllocationCounter", "ForwardingFileSystem",
        .product(name: "DequeModule", package: "swift-collections", condition: .when(traits: ["Peers"])),
        .product(name: "OrderedCollections", package: "swift-collections", condition: .when(traits: ["Peers"])),
      ],
      path: "Benchmarks/bench"),
    .target(name: "AllocationCounter", path: "Benchmarks/AllocationCounter"),

    .target(name: "ForwardingFileSystem", dependencies: ["Journals"], path: "Tests/ForwardingFileSystem"),
    .target(
      name: "TestSupport", dependencies: ["ForwardingFileSystem", "Journals"], path: "Tests/TestSupport"),
    .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"]),
    .testTarget(name: "BenchTests", dependencies: onToolkit + ["bench"]),
    .testTarget(name: "DocumentationTests", dependencies: onToolkit),
    .testTarget(name: "IsolationTests", dependencies: onToolkit + ["TestSupport"]),
    .testTarget(name: "UnsavedTests", dependencies: onToolkit + ["TestSupport"]),
  ]
    + modules.map { name, dependencies in
      .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name), "TestSupport"] + dependencies
          + (archived.contains(name) ? ["UndoArchives"] : []))
    },
  swiftLanguageModes: [.v6]
)

if let tests {
  // Only these tests and what they depend on: all other targets would be built, too.
  var names = Set(tests)
  while true {
    let dependencies = package.targets.filter { names.contains($0.name) }.flatMap(\.dependencies)
    let more = dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
    if names.isSuperset(of: more) { break }
    names.formUnion(more)
  }
  package.targets.removeAll { !names.contains($0.name) }
  // Products may only name targets that the package has, and the tests need no product.
  package.products.removeAll()
}

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

for target in package.targets where target.name != "AllocationCounter" {
  target.swiftSettings = (target.swiftSettings ?? []) + settings
}
