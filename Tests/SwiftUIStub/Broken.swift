// Must not compile. It would if SwiftUI weren't found, or if the stub accepted any type.
#if canImport(SwiftUI)
  import Drafts
  import SwiftUI

  @MainActor
  func broken(_ number: Binding<Int>) -> Binding<String> {
    DraftBinding(number).binding
  }
#endif
