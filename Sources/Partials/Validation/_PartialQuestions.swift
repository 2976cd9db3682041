/// A question that a rule asks elsewhere about values of a partial.
struct _PartialQuestion: Sendable {
  let values: [any Sendable]
  let ask: @Sendable () async throws -> Bool

  /// Whether both questions are about the same values, so that they have the same answer.
  func isSame(as other: _PartialQuestion) -> Bool {
    values.count == other.values.count && zip(values, other.values).allSatisfy { _isUnchanged($1, since: $0) }
  }
}

/// The last question of each rule, with its answer or the calls that wait for it.
///
/// ```
///  name: "ad"     asked ──── waits: call 1
///  name: "ada"    "ad" is cancelled, call 1 throws; asked ──── waits: call 2
///  e-mail changed "ada" is not asked again          ──── wait: calls 2 and 3
///                                        answered: both go on, and "ada" is remembered
/// ```
actor _PartialQuestions {
  private struct Asked {
    let question: _PartialQuestion
    /// The call that asked it, which distinguishes this question from those before and after it.
    let call: Int
    var answer: Bool?
    var task: Task<Void, Never>?
    /// The stream of each call that waits, which ends without an answer if the question is dropped.
    var waiting: [Int: AsyncStream<Result<Bool, any Swift.Error>>.Continuation] = [:]
  }

  private var asked: [Int: Asked] = [:]
  private var lastCall = 0

  /// The answers to `questions`, one for each rule; nil if a rule asks nothing.
  ///
  /// It doesn't throw: after an error, the compiler of Swift 6.3 leaves a caller that inherits its actor on this one
  /// (swiftlang/swift#88259).
  ///
  /// - Returns: Fails with `CancellationError` if the task is canceled, or if a newer call has another question.
  func answers(to questions: [_PartialQuestion?]) async -> Result<[Bool?], any Swift.Error> {
    do { return .success(try await ask(questions)) } catch { return .failure(error) }
  }

  private func ask(_ questions: [_PartialQuestion?]) async throws -> [Bool?] {
    try Task.checkCancellation()
    lastCall += 1
    let call = lastCall
    let streams = questions.enumerated().map { rule, question in question.map { ask($0, of: rule, for: call) } }
    // A question that isn't to be asked now is dropped, but an answer is remembered.
    for (rule, question) in questions.enumerated() where question == nil && asked[rule]?.answer == nil { drop(rule) }
    do {
      return try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
        for case (let rule, let stream?) in streams.enumerated() {
          group.addTask {
            for await answer in stream { return (rule, try answer.get()) }
            throw CancellationError()
          }
        }
        return try await group.reduce(into: questions.map { _ in nil }) { answers, answer in
          answers[answer.0] = answer.1
        }
      }
    } catch {
      stopWaiting(call, cancelling: !(error is CancellationError))
      throw error
    }
  }

  /// The stream of the answer to one question.
  private func ask(_ question: _PartialQuestion, of rule: Int, for call: Int) -> AsyncStream<
    Result<Bool, any Swift.Error>
  > {
    let (stream, continuation) = AsyncStream.makeStream(of: Result<Bool, any Swift.Error>.self)
    if asked[rule].map({ !$0.question.isSame(as: question) }) ?? true {
      drop(rule)
      // The question runs outside the actor: its computation must not keep the actor from dropping it or asking others.
      let task = Task { @concurrent in
        let result: Result<Bool, any Swift.Error>
        do { result = .success(try await question.ask()) } catch { result = .failure(error) }
        await didAnswer(result, to: call, of: rule)
      }
      asked[rule] = Asked(question: question, call: call, task: task)
    }
    if let answer = asked[rule]?.answer {
      continuation.yield(.success(answer))
      continuation.finish()
    } else {
      asked[rule]?.waiting[call] = continuation
    }
    return stream
  }

  private func didAnswer(_ result: Result<Bool, any Swift.Error>, to call: Int, of rule: Int) {
    guard let answered = asked[rule], answered.call == call else { return }
    // An error isn't remembered.
    asked[rule] = (try? result.get()).map { Asked(question: answered.question, call: call, answer: $0) }
    for continuation in answered.waiting.values {
      continuation.yield(result)
      continuation.finish()
    }
  }

  /// Ends all waiting of `call`; if `cancelling`, also drops questions that no other call waits for.
  private func stopWaiting(_ call: Int, cancelling: Bool) {
    for rule in asked.keys.sorted() where asked[rule]?.waiting.removeValue(forKey: call) != nil {
      if cancelling, asked[rule]?.waiting.isEmpty == true { drop(rule) }
    }
  }

  private func drop(_ rule: Int) {
    guard let dropped = asked.removeValue(forKey: rule) else { return }
    dropped.task?.cancel()
    for continuation in dropped.waiting.values { continuation.finish() }
  }
}
