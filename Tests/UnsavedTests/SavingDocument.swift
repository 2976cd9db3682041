import Foundation
import Unsaved

// The document of the article SavingWithoutLosing, letter by letter, for tests to try what the article promises.

@MainActor final class Document {
  let file: FileChange.Path
  let writer: FileChangeWriter
  private(set) var history: UndoHistory<String>
  /// Why the file does not have the text, as far as something went wrong.
  private(set) var problem: FileChangeError?
  /// Reads the events, until the writer has shut down.
  private(set) var following: Task<Void, Never>?

  private var base: FileChange.Version
  /// How many edits there were, and how many of them the writer has accepted.
  private var (edits, accepted) = (0, 0)
  /// The newest change, as long as it is not written.
  private var unwritten: PendingChangeID?
  private var written: PendingChangeID?
  private var submitting: Task<Void, Never>?

  /// Opens the file, and the newest text of it where that could not be written: undo leads back to what the file has.
  init(file: FileChange.Path, writer: FileChangeWriter) async throws {
    (self.file, self.writer) = (file, writer)
    let events = await writer.events()  // before anything can happen, as they begin with this call
    var failure: FileChangeWriter.Failure?
    do {
      try await writer.flush()  // first, what the journal has from the last run
    } catch {
      try Task.checkCancellation()
      failure = error.failures.last { $0.change.path == file }
    }
    let (text, version) = try Self.read(file)
    base = failure?.change.base ?? version
    history = UndoHistory(initialValue: text)
    if let failure, case .write(let data) = failure.change.action {
      history.transaction("Recover") { $0.set(String(decoding: data, as: UTF8.self)) }
      (unwritten, problem) = (failure.id, failure.error)  // it keeps its id when it is tried again
    }
    following = Task { [weak self] in
      for await event in events where event.path == file { self?.take(event) }
    }
  }

  /// The text of the file and its version; nothing where there is no file, or its folder is gone.
  private static func read(_ file: FileChange.Path) throws -> (text: String, version: FileChange.Version) {
    do {
      let version = try FileChange.Version(of: file)
      return (version == .absent ? "" : try String(contentsOf: file.url, encoding: .utf8), version)
    } catch let error as FileChangeError where error.reason == .noSuchFolder {
      return ("", .absent)
    }
  }

  /// Whether the file has another text, as far as this document knows: the mark in the title of the window.
  var hasUnsavedChanges: Bool { !isSubmitted || unwritten != nil }

  /// Makes edits, undoes or redoes, and has the text written.
  ///
  /// Everything that changes the text goes through here.
  @discardableResult
  func edit<Result>(_ body: (inout UndoHistory<String>) -> Result) -> Result {
    defer {
      edits += 1
      submit()
    }
    return body(&history)
  }

  /// Submits the text, one time after the other: what is typed while the journal is written goes with the next.
  private func submit() {
    guard submitting == nil else { return }
    submitting = Task {
      defer { submitting = nil }
      while accepted != edits {
        let number = edits
        do throws(FileChangeError) {
          unwritten = try await writer.submit(.write(history.currentItem, to: file).based(on: base))
          accepted = number
          settle()  // the event may have come before the id
        } catch {
          problem = error
          return
        }
      }
    }
  }

  /// Whether the journal has the text, so that a kill cannot lose it.
  var isSubmitted: Bool { accepted == edits }

  /// Waits until the journal has the text, also what is typed meanwhile; where that is false, `problem` says why.
  @discardableResult
  func submitted() async -> Bool {
    while let submitting { await submitting.value }
    return isSubmitted
  }

  /// Waits until the writer is done with what was submitted, and asks it what came of that: an event may be missed.
  func settled(within limit: Duration = .seconds(30)) async {
    guard let id = unwritten else { return }
    let flush = Task { try await writer.flush() }
    let alarm = Task { if (try? await Task.sleep(for: limit)) != nil { flush.cancel() } }
    defer { alarm.cancel() }
    let error =
      switch await flush.result {
      case .success: nil as FileChangeWriter.UnwrittenError?
      case .failure(let error): error as? FileChangeWriter.UnwrittenError
      }
    if let failure = error?.failures.last(where: { $0.change.path == file }) {
      problem = failure.error
    } else if error?.unfinished.contains(where: { $0.change.path == file }) != true {
      written = max(id, written ?? id)
    }
    settle()
  }

  private func take(_ event: FileChangeWriter.Event) {
    switch event.outcome {
    case .written, .removed: written = event.id
    case .retrying(let error, _), .failed(let error): problem = error
    }
    settle()
  }

  /// A change that was written stands for those before it, which gave way to it and have no events.
  private func settle() {
    if let id = unwritten, let written, id <= written { unwritten = nil }
    if !hasUnsavedChanges { problem = nil }
  }

  /// Tries again what failed; a conflict is the user's to decide.
  func retry() async {
    if !isSubmitted { submit() }  // the journal did not take it, so that the writer has nothing to try again
    guard await submitted() else { return }
    await settled()
    if let problem, !problem.isConflict { await writer.retryFailures() }
  }

  func keepTrying(every pause: Duration = .seconds(10)) async {
    while (try? await Task.sleep(for: pause)) != nil { await retry() }
  }
}

@MainActor func quit(_ document: Document) async -> Bool {
  await document.retry()
  repeat {
    guard await document.submitted() else { return false }  // ask: nobody else has the newest text
    await document.settled(within: .seconds(30))
  } while !document.isSubmitted
  if let problem = document.problem { print("not on disk:", problem.reason) }
  return true
}
