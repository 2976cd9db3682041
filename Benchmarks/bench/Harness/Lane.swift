/// A contender at one size, ready to run: its input, its state, and how far it got.
protocol Lane: AnyObject {
  var contender: Contender { get }

  /// Drops the state.
  func clear()

  /// Drops the state, makes a new one, and counts operations from 0 again.
  func renew()

  /// Does the next operations on the state, and answers the digest of what they saw.
  func run(_ count: Int) -> Int
}

/// The only lane there is; the protocol hides what it is generic over.
final class StatefulLane<Input, State>: Lane {
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
