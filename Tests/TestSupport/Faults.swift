import Foundation

/// The errors with which tests make calls fail.
package let faultErrors = [EIO, ENOSPC, EACCES, EROFS, EMFILE, ENOMEM, ESTALE, EDQUOT]

/// Makes one system call of `work` fail, another one each time, on all cores, until `work` breaks a promise.
///
/// Half of the failures come after the call has taken effect.
///
/// - Parameters:
///   - usual: The number of failures, of random calls among the first 200 and with random errors. With
///     `UNSAVED_FAULTS=2000`, each of the first 2,000 calls fails with each of eight errors instead.
///   - mostRounds: Calls that come only after more rounds than these don't fail.
///   - otherwise: The faults that the file system has in any case.
///   - work: Does so many rounds of its work in the file system, and returns the broken promises.
/// - Returns: The complaints of `work`, with the call and the error.
package func complaintsAfterFaults(
  _ usual: Int, mostRounds: Int = .max, test: StaticString = #function,
  otherwise: @escaping @Sendable (ScriptedFileSystem.Call) -> ScriptedFileSystem.Fault? = { _ in nil },
  _ work: @escaping @Sendable (_ system: ScriptedFileSystem, _ rounds: Int) async throws -> [String]
) async throws -> [String] {
  var faults: [(call: Int, error: Int32, isLate: Bool)] = []
  if let count = Int(ProcessInfo.processInfo.environment["UNSAVED_FAULTS"] ?? "") {
    for call in 0..<count {
      for (index, error) in faultErrors.enumerated() { faults.append((call, error, (call + index) % 2 > 0)) }
    }
  } else {
    var random = SeededRandom.announced("\(test): \(usual) failures")
    for _ in 0..<usual {
      faults.append((random.int(in: 0..<200), faultErrors.randomElement(using: &random)!, random.chance(oneIn: 2)))
    }
    faults.sort { $0.call < $1.call }
  }
  var (rounds, reached) = (3, 0)
  var runs: [(call: Int, error: Int32, isLate: Bool, rounds: Int)] = []
  for (number, error, isLate) in faults {
    while reached <= number, rounds < mostRounds {
      rounds += 1
      let system = ScriptedFileSystem { call, _ in otherwise(call) }
      let complaints = try await work(system, rounds)
      if !complaints.isEmpty { return ["no call failed"] + complaints }
      reached = system.calls.count
    }
    // Another run may make some more calls.
    guard number < reached + 20 else { break }
    runs.append((number, error, isLate, rounds))
  }
  let broken = FirstFound<[String]>()
  try await onAllCores(runs.count) { [runs] index in
    if broken.isFound(before: index) { return }
    let (number, error, isLate, rounds) = runs[index]
    let system = ScriptedFileSystem { call, made in
      made != number ? otherwise(call) : isLate ? .lateFailure(error) : .failure(error)
    }
    var complaints: [String]
    do { complaints = try await work(system, rounds) } catch { complaints = ["\(error)"] }
    guard !complaints.isEmpty else { return }
    let call = system.calls.dropFirst(number).first.map { "\($0)" } ?? "none"
    let trace = "call \(number) of \(rounds) rounds (\(call)), error \(error), late: \(isLate)"
    broken.note([trace] + complaints, at: index)
  }
  print("\(test): \(runs.count) failures in up to \(rounds) rounds of \(reached) calls")
  return broken.value ?? []
}
