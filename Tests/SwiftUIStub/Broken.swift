// Must not compile: without SwiftUI in sight, or with a stub that checks nothing, it would.
#if canImport(SwiftUI)
  import Drafts
  import SwiftUI

  @MainActor
  func broken(_ number: Binding<Int>) -> Binding<String> {
    DraftBinding(number).binding
  }
#endif
