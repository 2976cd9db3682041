import Foundation
import Unsaved

/// A figure that is computed only once because it is the same in every process.
enum Probe: String, Codable, CaseIterable {
  case dirtyableSize
  case undoFieldBytes
  case undoElementBytes
  case undoTypingBytes
  case traceBytesOfARun
  case traceBytesOfAnEdit
  case assignedSteps
  case assignedBytes
  case restoredBytes
  case uncarriedBytes
  case gestureSteps
  case gestureRecordsOfALeaf
  case gestureRecordsOfTwoLeaves
  case branchBytes
  case undoByOrigin
  case filesWritten
  case savesByOneTask
  case savesBy8Tasks
  case savesBy64Tasks
  case savesBesideCalls
  case outboxBytes
  case outboxInsertsAGroup
  case sessionBytesOfAKey
  case sessionBytesOfTypedKeys
  case sessionBytesOfAStep
  case sessionOpening
  case sessionEditDuringASave
  case sessionPause

  /// A short description of the figure.
  var work: String {
    switch self {
    case .dirtyableSize: "bytes beside the value, 16 bytes and 640"
    case .undoFieldBytes: "log of 1,000,000 edits of an Int, for each"
    case .undoElementBytes: "log of 100,000 edits of elements of 1,000,000, for each"
    case .undoTypingBytes: "log of 10,000 characters typed at the end of 1 MB"
    case .traceBytesOfARun: "log beyond the deleted bytes, for each run of adjoining edits"
    case .traceBytesOfAnEdit: "log beyond the deleted bytes, for each edit"
    case .assignedSteps: "steps of the trace by assigned text, more or less than by its ranges"
    case .assignedBytes: "log of the trace by assigned text, against that by its ranges"
    case .restoredBytes: "log of the trace for a restored selection, for each step"
    case .uncarriedBytes: "log of the trace for a selection that is not restored, for each step"
    case .gestureSteps: "steps of 1,000 assignments in an open step"
    case .gestureRecordsOfALeaf: "records of 1,000 assignments of a member in an open step"
    case .gestureRecordsOfTwoLeaves: "records of 1,000 assignments of two members in turn in an open step"
    case .branchBytes: "memory of a branch of one step, beside its records"
    case .undoByOrigin: "undoing the newest step of one origin below 10,000 of others"
    case .filesWritten: "writes for 10,000 saves of 10 files"
    case .savesByOneTask: "durable saves of 1,000 files by one task, against those of SQLite"
    case .savesBy8Tasks: "durable saves of 1,000 files by 8 tasks, against those of SQLite"
    case .savesBy64Tasks: "durable saves of 1,000 files by 64 tasks, against those of SQLite"
    case .savesBesideCalls: "durable saves of 1,000 files by one task, against pwrite and fdatasync of one file"
    case .outboxBytes: "journal beyond the payload, for an insertion among 10,000 that wait"
    case .outboxInsertsAGroup: "insertions of 64 tasks, for each fsync of the journal"
    case .sessionBytesOfAKey: "log of an editing session for a key in a text of 10 MB"
    case .sessionBytesOfTypedKeys: "log of the trace in an editing session, typed to 250,000 keys, for each"
    case .sessionBytesOfAStep:
      "log of these when it has begun anew, beside the text and what was deleted, for each step"
    case .sessionOpening: "opening an editing session with a log of these 250,000 keys"
    case .sessionEditDuringASave: "the first edit of a text of 50 MB during its save, which copies the text"
    case .sessionPause: "longest pause of the main actor while a text of 50 MB is opened, logged and saved"
    }
  }

  /// The reason if there is no value.
  var missing: String {
    switch self {
    case .traceBytesOfARun, .traceBytesOfAnEdit, .assignedSteps, .assignedBytes: CheckCommand.traceIsMissing
    case .restoredBytes, .uncarriedBytes: CheckCommand.traceIsMissing + ", or its steps are not the same"
    case .branchBytes: "allocations cannot be counted here"
    case .filesWritten: "the newest content of each file was not on disk in the end"
    case .savesByOneTask, .savesBy8Tasks, .savesBy64Tasks, .savesBesideCalls:
      needsSQLite && !SQLite.isInstalled ? "the library of SQLite is not installed" : "not every file was saved"
    case .outboxBytes, .outboxInsertsAGroup: "the outbox could not write its journal"
    case .sessionBytesOfAKey, .sessionEditDuringASave, .sessionPause: "the session could not write its log"
    case .sessionBytesOfTypedKeys, .sessionBytesOfAStep, .sessionOpening:
      CheckCommand.traceIsMissing + ", or the session could not write its log"
    default: "the probe gave no value"
    }
  }

  /// Whether the figure needs SQLite, which may not be installed.
  var needsSQLite: Bool { [.savesByOneTask, .savesBy8Tasks, .savesBy64Tasks].contains(self) }

  /// The value, or nil if there is none; `missing` has the reason.
  func value(trace: EditingTrace?) -> Double? {
    switch self {
    case .dirtyableSize:
      return Double(
        max(
          MemoryLayout<Dirtyable<SmallForm>>.size - MemoryLayout<SmallForm>.size,
          MemoryLayout<Dirtyable<LargeForm>>.size - MemoryLayout<LargeForm>.size))
    case .undoFieldBytes:
      let edits = 1_000_000
      var history = UndoHistory(initialValue: SmallForm())
      let before = history.byteCount
      for i in 1...edits { history.edit.count = i }
      return Double(history.byteCount - before) / Double(edits)
    case .undoElementBytes:
      let edits = 100_000
      var history = UndoHistory(initialValue: Array(0..<1_000_000))
      let before = history.byteCount
      for i in 1...edits { history.edit[i &* 7919 % 1_000_000] = -i }
      return Double(history.byteCount - before) / Double(edits)
    case .undoTypingBytes:
      var history = UndoHistory(initialValue: String(repeating: "some text ", count: 100_000))
      let before = history.byteCount
      for _ in 0..<10_000 { history.edit.append("x") }
      return Double(history.byteCount - before)
    case .traceBytesOfARun:
      return trace.map { Self.bytesBeyondDeleted(in: $0, .typing, each: $0.runCount) }
    case .traceBytesOfAnEdit:
      return trace.map { Self.bytesBeyondDeleted(in: $0, .transactions, each: $0.edits.count) }
    case .assignedSteps:
      return trace.map { abs(Self.assigned(in: $0, \.undoCount) - 1) }
    case .assignedBytes:
      return trace.map { Self.assigned(in: $0, \.byteCount) }
    case .restoredBytes:
      return trace.flatMap { TraceReplay(trace: $0).restoredBytes }
    case .uncarriedBytes:
      return trace.flatMap { TraceReplay(trace: $0).uncarriedBytes }
    case .gestureSteps:
      let steps = [1, 2].map { GestureCount(leaves: $0).steps }
      return steps.max { abs($0 - 1) < abs($1 - 1) }.map(Double.init)
    case .gestureRecordsOfALeaf:
      return Double(GestureCount(leaves: 1).records)
    case .gestureRecordsOfTwoLeaves:
      return Double(GestureCount(leaves: 2).records)
    case .branchBytes: return UndoCount.bytesOfABranch()
    case .undoByOrigin: return UndoCount.undoByOrigin()
    case .filesWritten:
      return blocking { await Self.partOfSavesWritten(saves: 10_000, files: 10) }
    case .savesByOneTask: return savesOfDatabases(tasks: 1)
    case .savesBy8Tasks: return savesOfDatabases(tasks: 8)
    case .savesBy64Tasks: return savesOfDatabases(tasks: 64)
    case .savesBesideCalls:
      return blocking { await DurableSaving(files: 1000, tasks: 1).saves(comparedWith: .calls) }
    case .outboxBytes:
      return blocking { await OutboxCount.bytesBeyondPayload(waiting: 10_000) }
    case .outboxInsertsAGroup:
      return blocking { await OutboxCount.insertsAGroup(tasks: 64, insertsEach: 20) }
    case .sessionBytesOfAKey:
      return Self.onMain { try? await SessionCount.bytesOfAKey(textByteCount: 10_000_000) }
    case .sessionBytesOfTypedKeys: return Self.session(of: trace, \.bytesOfAKey)
    case .sessionBytesOfAStep: return Self.session(of: trace, \.snapshotBytesOfAStep)
    case .sessionOpening: return Self.session(of: trace, \.opening)
    case .sessionEditDuringASave: return Self.pauses(\.edit)
    case .sessionPause: return Self.pauses(\.longest)
    }
  }

  private static func session(of trace: EditingTrace?, _ figure: any KeyPath<SessionCount.Log, Double> & Sendable)
    -> Double?
  {
    guard let trace else { return nil }
    return onMain { try? await SessionCount.log(of: trace, keys: 250_000)[keyPath: figure] }
  }

  private static func pauses(_ figure: any KeyPath<SessionCount.Pauses, Double> & Sendable) -> Double? {
    onMain { try? await SessionCount.pauses(textByteCount: 50_000_000)[keyPath: figure] }
  }

  /// Runs `body` on the main thread, which computes the probes of a worker.
  private static func onMain(_ body: @escaping @MainActor () async -> Double?) -> Double? {
    MainActor.assumeIsolated { blockingMain(body) }
  }

  /// The count of a history that records assigned texts, as a multiple of the count of one that records ranges.
  private static func assigned(in trace: EditingTrace, _ count: KeyPath<UndoHistory<String>, Int>) -> Double {
    let replay = TraceReplay(trace: trace)
    return Double(replay.recorded(.assigning)[keyPath: count])
      / Double(max(1, replay.recorded(.typing)[keyPath: count]))
  }

  private static func bytesBeyondDeleted(
    in trace: EditingTrace, _ grouping: TraceReplay.Grouping, each count: Int
  ) -> Double {
    let deleted = trace.edits.reduce(0) { $0 + $1.range.count }
    return Double(TraceReplay(trace: trace).recorded(grouping).byteCount - deleted) / Double(max(1, count))
  }

  private func savesOfDatabases(tasks: Int) -> Double? {
    blocking { await DurableSaving(files: 1000, tasks: tasks).saves(comparedWith: .database) }
  }

  private static func partOfSavesWritten(saves: Int, files: Int) async -> Double? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let writer = FileChangeWriter()
      for save in 0..<saves {
        try await writer.submit(.write(Data("save \(save)".utf8), to: folder.appending(path: "\(save % files)")))
      }
      try await writer.flush()
      for file in 0..<files {
        let newest = Data("save \(saves - files + file)".utf8)
        guard try Data(contentsOf: folder.appending(path: "\(file)")) == newest else { return nil }
      }
      return Double(await writer.progress.written) / Double(saves)
    } catch {
      return nil
    }
  }
}

extension EditingTrace {
  /// The number of runs of adjoining edits of one kind: typing that continues at its end, or deleting in one direction.
  var runCount: Int {
    var runs = 0
    var previous: Edit?
    for edit in edits {
      if previous.map(edit.continues) != true { runs += 1 }
      previous = edit
    }
    return runs
  }
}

extension EditingTrace.Edit {
  fileprivate func continues(_ previous: EditingTrace.Edit) -> Bool {
    if range.isEmpty, previous.range.isEmpty {
      return range.lowerBound == previous.range.lowerBound + previous.text.utf8.count
    }
    guard text.isEmpty, previous.text.isEmpty else { return false }
    return range.lowerBound == previous.range.lowerBound || range.upperBound == previous.range.lowerBound
  }
}

/// Computes a probe in a worker process, so that a trap does not end this one.
struct ProbeTask: WorkerTask {
  static let name = "probe"

  var probe: Probe
  var trace: String?

  struct Answer: Codable {
    var value: Double?
  }

  func perform() -> Answer {
    Answer(value: probe.value(trace: trace.flatMap { try? EditingTrace(path: $0) }))
  }
}
