/// How this executable was built, and whether measuring with it makes sense.
struct Build: Equatable {
  var isOptimised: Bool
  var checksInvariants: Bool

  static var current: Build {
    var isOptimised = true
    // The condition is evaluated only in unoptimized builds.
    assert(
      {
        isOptimised = false
        return true
      }())
    #if InternalChecks
      return Build(isOptimised: isOptimised, checksInvariants: true)
    #else
      return Build(isOptimised: isOptimised, checksInvariants: false)
    #endif
  }

  /// Whether swift-collections' types are among the peers.
  static var hasPeers: Bool {
    #if Peers
      true
    #else
      false
    #endif
  }

  /// Throws if the figures of this build would be worthless.
  func requireFit() throws(Failure) {
    if !isOptimised {
      throw Failure(.unfitBuild, "a debug build measures nothing of use; run it as 'swift run -c release bench'")
    }
    if checksInvariants {
      throw Failure(.unfitBuild, "a build with InternalChecks measures its checks; build without that trait")
    }
  }
}
