/// The reason why a command fails: one line for standard error, and the exit code.
struct Failure: Error, Equatable {
  let code: ExitCode
  let message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// The exit codes.
///
/// Those above 63 are the ones of BSD's sysexits.
enum ExitCode: Int32 {
  case success = 0
  /// The run is invalid: the self-test failed, or contenders did not do the same work.
  case invalidRun = 1
  /// A bar is short, or something has become worse.
  case fellShort = 2
  /// Two runs have no comparable figures in common, or were made under different conditions.
  case nothingToCompare = 5
  /// Unknown commands and options, and bad values.
  case usage = 64
  /// A file has invalid contents.
  case dataError = 65
  /// A file cannot be read.
  case noInput = 66
  /// A file cannot be written.
  case cannotCreate = 73
  /// A debug build, or one with InternalChecks, was asked to measure.
  case unfitBuild = 78
}
