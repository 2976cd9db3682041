/// A contender at one size, ready to run, with its input, its state and the number of its next operation.
protocol Lane: AnyObject {
  var contender: Contender { get }

  /// Drops the state.
  func clear()

  /// Drops the state, makes a new one, and restarts the operation numbers at 0.
  func renew()

  /// Runs the next operations on the state, and returns the digest of their results.
  func run(_ count: Int) -> Int
}

/// The only type of lane.
///
/// The protocol hides its generic parameters.
final class StatefulLane<Input, State: ~Copyable>: Lane {
  let contender: Contender
  private let input: Input
  private let setUp: (Input) -> State
  private let body: (inout State, Input, Range<Int>) -> Int
  private var state: State?
  private var next = 0

  init(
    contender: Contender,
    input: Input,
    setUp: @escaping (Input) -> State,
    body: @escaping (inout State, Input, Range<Int>) -> Int
  ) {
    self.contender = contender
    self.input = input
    self.setUp = setUp
    self.body = body
  }

  func clear() {
    state = nil
    next = 0
  }

  func renew() {
    clear()
    state = setUp(input)
  }

  func run(_ count: Int) -> Int {
    precondition(state != nil, "Lane runs before it is renewed")
    defer { next += count }
    return body(&state!, input, next..<next + count)
  }
}
