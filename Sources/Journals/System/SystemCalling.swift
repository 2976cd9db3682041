/// A type that makes system calls in steps, and reports an error together with the step that failed.
package protocol SystemCalling {
  associatedtype Step
  associatedtype Failure: Error

  var system: any FileSystem { get }

  func failure(_ step: Step, _ error: SystemError) -> Failure
}

extension SystemCalling {
  /// Makes a system call as a part of `step`.
  package func attempt<Result: ~Copyable>(
    _ step: Step, _ call: @autoclosure () throws(SystemError) -> Result
  ) throws(Failure) -> Result {
    do throws(SystemError) {
      return try call()
    } catch {
      throw failure(step, error)
    }
  }

  /// Makes a system call as a part of `step`; nil if it fails as `expected` or as `other`.
  package func attempt<Result: ~Copyable>(
    _ step: Step, except expected: SystemError, or other: SystemError? = nil,
    call: @autoclosure () throws(SystemError) -> Result
  ) throws(Failure) -> Result? {
    try attempt(step, unless: { $0 == expected || $0 == other }) { () throws(SystemError) in try call() }
  }

  /// Makes system calls as a part of `step`; nil if one fails with an expected error.
  package func attempt<Result: ~Copyable>(
    _ step: Step, unless isExpected: (SystemError) -> Bool, _ calls: () throws(SystemError) -> Result
  ) throws(Failure) -> Result? {
    do throws(SystemError) {
      return try calls()
    } catch {
      if isExpected(error) { return nil }
      throw failure(step, error)
    }
  }
}
