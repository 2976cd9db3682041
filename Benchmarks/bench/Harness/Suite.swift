/// The benchmarks of one type.
///
/// # Adding a suite
///
/// A suite is a file `Suites/<Type>Suite.swift` and a line in `Suites/Suites.swift`. It reads like a list of
/// benchmarks:
///
/// ```text
/// import Unsaved
///
/// extension Suite {
///   static var uniqueQueue: Suite {
///     Suite("UniqueQueue") { suite in
///       suite.benchmark("steady.Int", "append and popFirst at depth n", sizes: .quadrupling(1024, 65_536)) { n in
///         Keys.ints(n)                                    // Made once for all contenders, outside of timing.
///       } contenders: { race in
///         race.subject("UniqueQueue") { keys in
///           UniqueQueue(keys.resident)                    // The state: made for each contender, outside of timing.
///         } run: { queue, keys, operations in
///           var seen = 0
///           for i in operations {                         // One turn of this loop is one operation.
///             queue.append(keys[i])
///             seen &+= queue.popFirst()!
///           }
///           return seen                                   // The digest of the results; see below.
///         }
///         race.peer("Array firstIndex") { keys in … } run: { … }
///         #if Peers
///         race.peer("Deque + Set") { keys in … } run: { … }
///         #endif
///       }
///     }
///   }
/// }
/// ```
///
/// - **Write the loop.** `run` gets its state `inout`, which avoids a box and exclusivity checks, and the numbers of
///   the operations to do. These start at 0 for each new state and continue from batch to batch. Use them to index the
///   input.
/// - **Return a digest of the results**, combined in an `Int` (`&+=`, `^=`, a count). Every contender must return the
///   same digest. The harness stores it in a global, so that the work cannot be optimized away, and compares contenders
///   before it times them. If contenders disagree, they are not doing the same work, and the run fails. Pass a value
///   that must be made but has no cheap digest to `sink(_:)`. Use `opaque(_:)` for a constant that the compiler must
///   not see through.
/// - **Roles.** There is exactly one `subject`, and it comes first. A `peer` is another design that a user could
///   choose: the post's, one with the standard library or, under `#if Peers`, one with swift-collections. A `floor` is
///   a minimum that no design can beat, such as the plain struct or the unrecorded edit. Peers and floors of several
///   suites are in `Suites/Peers.swift`. Import `DequeModule` and `OrderedCollections` themselves: with only their
///   umbrella module, some members are hidden, and slow defaults are used silently.
/// - **Keys**: use `Keys`, which has at least 16,384 distinct keys at every size, so that the branch predictor cannot
///   learn them.
/// - **Sizes** are geometric (`.doubling`, `.quadrupling`), or `.one` for a benchmark without n. The quick table uses
///   one of them: the largest that is at most 4096, or the one named by `quick:`.
/// - **`unit: .element`** divides times by n, for an operation on n elements, such as iterating or filling. By default,
///   times are for one operation.
/// - **`state: .kept`** (the default) continues with the state that earlier batches left. It is for operations that
///   keep the size. `state: .fresh(upTo: 10_000)` makes a new state, which is not timed, after at most that many
///   operations. It is for operations that make the state larger, such as recording.
/// - **Asynchronous work**, such as that of an actor, needs `blocking { await … }` around the whole loop.
///
/// Time is never measured while allocations are counted. The harness makes a separate pass for memory with the same
/// closures. `live` is the memory that `run`'s state held after its set-up, and `peak` the maximum during set-up and
/// run. Neither includes the input.
struct Suite {
  let name: String
  private(set) var benchmarks: [Benchmark] = []

  init(_ name: String, _ build: (inout Suite) -> Void) {
    self.name = name
    build(&self)
  }

  /// Adds a benchmark.
  ///
  /// - Parameters:
  ///   - name: The name in the suite, such as `steady.Int`. The suite's name and this name form the id.
  ///   - operation: A short description of one operation.
  ///   - sizes: The sizes it is measured at.
  ///   - unit: The unit that a time is divided by.
  ///   - state: How long a state is used before a new one is made.
  ///   - input: Makes the input of all contenders from the size. Not timed.
  ///   - contenders: Adds the subject, then its peers and floors.
  mutating func benchmark<Input>(
    _ name: String,
    _ operation: String,
    sizes: Sizes = .one,
    unit: Benchmark.Unit = .operation,
    state: Benchmark.StatePolicy = .kept,
    input: @escaping (Int) -> Input,
    contenders: (inout Race<Input>) -> Void
  ) {
    var race = Race<Input>()
    contenders(&race)
    let entries = race.entries
    precondition(entries.first?.label.role == .subject, "\(self.name).\(name): the subject comes first")
    precondition(
      entries.dropFirst().allSatisfy { $0.label.role != .subject }, "\(self.name).\(name): more than one subject")
    precondition(
      Set(entries.map(\.label.name)).count == entries.count, "\(self.name).\(name): two contenders of one name")
    precondition(benchmarks.allSatisfy { $0.name != name }, "\(self.name).\(name): two benchmarks of one name")
    benchmarks.append(
      Benchmark(
        suite: self.name, name: name, operation: operation, sizes: sizes, unit: unit, state: state,
        contenders: entries.map(\.label),
        makeLanes: { size in
          let input = input(size)
          return entries.map { $0.makeLane(input) }
        }))
  }
}
