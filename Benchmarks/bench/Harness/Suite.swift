/// The benchmarks of one type.
///
/// # Adding a suite
///
/// A suite is one file, `Suites/<Type>Suite.swift`, and one line in `Suites/Suites.swift`. It reads like a list of
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
///           return seen                                   // What was seen, folded; see below.
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
/// - **The loop is yours.** `run` gets its state `inout` (so that no box and no exclusivity check comes between), and
///   the numbers of the operations to do. They count up from 0 for each new state and go on from batch to batch:
///   index the input by them.
/// - **Return what you saw**, folded into an `Int` (`&+=`, `^=`, a count), and make every contender return the same.
///   The harness stores it in a global, so that the work cannot be optimised away, and compares contenders before it
///   times them: contenders that disagree are not doing the same work, and the run fails. A value that has to be made
///   but has no cheap digest goes to `sink(_:)`; a constant the compiler must not see through comes from
///   `opaque(_:)`.
/// - **Roles.** Exactly one `subject`, first. A `peer` is another design a user could choose: the post's own, the
///   standard library's, under `#if Peers` swift-collections'. A `floor` is what no design can beat: the plain
///   struct, the unrecorded edit. What several suites need (peers, floors) lives in `Suites/Peers.swift`. Import
///   `DequeModule` and `OrderedCollections` themselves: with their umbrella alone some members are hidden, and slow
///   defaults taken without a word.
/// - **Keys** are many, so that the branch predictor cannot learn them: `Keys` holds at least 16,384 distinct ones at
///   every size.
/// - **Sizes** are geometric (`.doubling`, `.quadrupling`), or `.one` where n means nothing. The quick table takes
///   one of them: the largest that is at most 4096, or the one named by `quick:`.
/// - **`unit: .element`** divides by n, for an operation that handles n elements (iterating, filling). One operation
///   otherwise.
/// - **`state: .kept`** (the default) goes on with the state that earlier batches left: right where the operation
///   leaves the size as it was. `state: .fresh(upTo: 10_000)` makes a new one (not timed) after at most that many
///   operations: right where each operation makes the state larger, as recording does.
/// - **Asynchronous work** (an actor) goes through `blocking { await … }` around the whole loop.
///
/// Time is never measured while allocations are counted: the harness makes a pass of its own for memory, with the
/// same closures. `live` is what `run`'s state held after its set-up, `peak` the most it held while set up and run;
/// the input counts for neither.
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
  ///   - name: Its name in the suite, such as `steady.Int`; with the suite's name before it, its id.
  ///   - operation: What one operation is, in a few words.
  ///   - sizes: The sizes it is measured at.
  ///   - unit: What a time is divided by.
  ///   - state: How long a state is used.
  ///   - input: Makes what every contender reads, from the size. Not timed.
  ///   - contenders: Names the subject, then its peers and floors.
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
