// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The part of the stub of SwiftUI that needs the stub of `UndoManager`.

public import Foundation

extension EnvironmentValues {
  @MainActor
  public var undoManager: UndoManager? { nil }
}
