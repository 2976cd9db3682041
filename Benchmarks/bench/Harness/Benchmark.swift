/// A piece of work, and the contenders that race at it.
struct Benchmark {
  let suite: String
  let name: String
  let operation: String
  let sizes: Sizes
  let unit: Unit
  let state: StatePolicy
  let contenders: [Contender]

  /// Makes the input for a size, and a lane for every contender that runs on it.
  let makeLanes: (_ size: Int) -> [any Lane]

  var id: String { "\(suite).\(name)" }

  /// The unit that a time is divided by.
  enum Unit: String, Codable {
    case operation
    case element
  }

  /// How long a state is used before a new one is made.
  enum StatePolicy: Equatable {
    /// For the whole measurement.
    case kept
    /// For at most this many operations.
    case fresh(upTo: Int)
  }
}

/// A contender in a race, and its role.
struct Contender: Hashable, Codable {
  let name: String
  let role: Role

  enum Role: String, Codable {
    /// The design that is measured.
    case subject
    /// Another design that a user could choose.
    case peer
    /// A minimum that no design can beat.
    case floor
  }
}

/// Collects the contenders of a benchmark.
struct Race<Input> {
  struct Entry {
    let label: Contender
    let makeLane: (Input) -> any Lane
  }

  private(set) var entries: [Entry] = []

  /// The design that is measured.
  ///
  /// Must be added first, and only once.
  mutating func subject<State: ~Copyable>(
    _ name: String,
    setUp: @escaping (Input) -> State,
    run: @escaping (inout State, Input, Range<Int>) -> Int
  ) {
    add(.subject, name, setUp, run)
  }

  /// Another design that a user could choose.
  mutating func peer<State: ~Copyable>(
    _ name: String,
    setUp: @escaping (Input) -> State,
    run: @escaping (inout State, Input, Range<Int>) -> Int
  ) {
    add(.peer, name, setUp, run)
  }

  /// A minimum that no design can beat.
  mutating func floor<State: ~Copyable>(
    _ name: String,
    setUp: @escaping (Input) -> State,
    run: @escaping (inout State, Input, Range<Int>) -> Int
  ) {
    add(.floor, name, setUp, run)
  }

  private mutating func add<State: ~Copyable>(
    _ role: Contender.Role,
    _ name: String,
    _ setUp: @escaping (Input) -> State,
    _ run: @escaping (inout State, Input, Range<Int>) -> Int
  ) {
    let label = Contender(name: name, role: role)
    entries.append(
      Entry(label: label) { input in StatefulLane(contender: label, input: input, setUp: setUp, body: run) })
  }
}
