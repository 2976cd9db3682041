/// Why a command ends early: one line for standard error, and the exit code.
struct Failure: Error, Equatable {
  let code: ExitCode
  let message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// What the process answers to its caller; the numbers above 63 are those of BSD's sysexits.
enum ExitCode: Int32 {
  case success = 0
  /// The run is invalid: the self-test failed, or contenders did not do the same work.
  case invalidRun = 1
  /// A bar is short, or something has become worse.
  case fellShort = 2
  /// Two runs have nothing in common that could be compared, or were made under unlike conditions.
  case nothingToCompare = 5
  /// Unknown commands and options, bad values.
  case usage = 64
  /// A file that was read, but does not hold what it should.
  case dataError = 65
  /// A file that cannot be read.
  case noInput = 66
  /// A file that cannot be written.
  case cannotCreate = 73
  /// A debug build, or one with InternalChecks, was asked to measure.
  case unfitBuild = 78
}
