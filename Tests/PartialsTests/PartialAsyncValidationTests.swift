import Foundation
import Partials
import TestSupport
import XCTest

private struct User: PartialInitializable, Equatable, Sendable {
  var name: String
  var email: String
  var code: Int?

  init(from partial: Partial<User>) throws {
    name = try partial.value(for: \.name)
    email = try partial.value(for: \.email)
    code = partial.value(for: \.code)
  }
}

private struct Unreachable: Error {}

/// Records the values that the rules were asked about.
private actor Questions {
  private(set) var asked: [String] = []
  func ask(_ question: String) { asked.append(question) }

  func yes(_ question: String) -> Bool {
    ask(question)
    return true
  }
}

/// An object that may change although it stays equal to itself.
private final class Counter: Hashable, Sendable {
  static func == (left: Counter, right: Counter) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private struct Holder: Sendable { let counter: Counter }

/// A value that isn't `Equatable` and refers to no mutable object.
private struct Plain: Sendable {
  struct Inner: Sendable { var flag: Bool }
  enum Kind: Sendable { case none, some(String), other(String) }
  var text: String, numbers: [Int], inner: Inner?, kind: Kind
}

private indirect enum Chain: Sendable { case end, link(Chain) }

private struct Things: Sendable {
  var counter: Counter, maybe: Counter?, holder: Holder, list: [Holder], table: [String: Counter], set: Set<Counter>
  var plain: Plain, number: Double, chain: Chain
}

final class PartialAsyncValidationTests: XCTestCase {
  private let rules = Partial<User>.Validation(
    .required(\.name), .valueValidation(keyPath: \.name, message: "short") { $0.count > 2 }, .required(\.email)
  ).named([\.email: "E-mail"])

  private func partial(name: String? = nil, email: String? = nil, code: Int?? = nil) -> Partial<User> {
    var partial = Partial<User>()
    partial.name = name
    partial.email = email
    partial.code = code
    return partial
  }

  @MainActor
  func testCallThatThrowsReturnsToTheCallersActor() async throws {
    let validation = rules.asking(.check(\.name) { _ in throw Unreachable() })
    let form = partial(name: "ada", email: "a")
    var placesOfErrors: [Bool] = []
    func add(_ error: any Error) { placesOfErrors.append(Thread.isMainThread) }
    do { _ = try await validation.issues(in: form) } catch { add(error) }
    await Task.yield()
    do { _ = try await validation.validate(form) } catch { add(error) }
    XCTAssertEqual(placesOfErrors, [true, true])
  }

  func testAsyncRulesCheckOnlyValuesWithoutIssues() async throws {
    let questions = Questions()
    let validation = rules.asking(
      .check(\.name, "taken") { name in
        await questions.ask(name)
        return name != "ada"
      },
      .check(\.email) { email in
        await questions.ask(email)
        return false
      },
      .check(\.code, "unknown code") { code in
        await questions.ask("\(code)")
        return code == 1
      })

    let short = try await validation.issues(in: partial(name: "a"))
    XCTAssertEqual(short?.map(\.message), ["short", "E-mail is missing"])
    let missing = try await validation.issues(in: partial(email: "e", code: .some(nil)))
    XCTAssertEqual(missing?.map(\.message), ["name is missing", "E-mail is invalid"])
    let asked = await questions.asked
    XCTAssertEqual(asked, ["e"], "missing, invalid and nil values are not checked")

    let all = try await validation.issues(in: partial(name: "ada", email: "x", code: 2))
    XCTAssertEqual(all?.map(\.message), ["taken", "E-mail is invalid", "unknown code"])
    XCTAssertEqual(all?.issues(for: \.name).map(\.message), ["taken"])
  }

  func testAsyncRuleAcrossFieldsRunsOnlyIfNeitherFieldHasIssues() async throws {
    let questions = Questions()
    let validation = rules.asking(
      .valueValidation(keyPaths: \.email, \.name, message: "strangers") { email, name in
        await questions.ask("\(email) \(name)")
        return email.hasPrefix(name)
      },
      .valueValidation(keyPaths: \.name, \.code) { name, code in name.count == code })
    for incomplete in [partial(name: "ada"), partial(name: "a", email: "a@"), partial(email: "a@", code: 1)] {
      expectEqual(try await validation.issues(in: incomplete)?.count, 1)
    }
    expect(try await validation.issues(in: partial(name: "ada", email: "ada@", code: 3)) == nil)
    let issues = try await validation.issues(in: partial(name: "ada", email: "e", code: .some(nil)))
    XCTAssertEqual(issues?.reasons, [.invalidValue(\User.email), .invalidValue(\User.name)])
    XCTAssertEqual(issues?.issues(for: \.email).map(\.message), ["strangers"])
    XCTAssertEqual(issues?.issues(for: \.name).map(\.message), ["strangers", "name is invalid"])
    XCTAssertEqual(issues?.issues(for: \.code).map(\.message), ["name is invalid"])
    expectEqual(await questions.asked, ["ada@ ada", "e ada"])
  }

  func testIssuesOfAsyncRulesAreInDeclaredOrder() async throws {
    let gate = Gate()
    let validation = rules.asking(
      .check(\.name, "first") { _ in
        await gate.pass()
        return false
      },
      .check(\.email, "second") { _ in
        gate.open()
        return false
      })
    expectEqual(try await validation.issues(in: partial(name: "ada", email: "x"))?.map(\.message), ["first", "second"])
  }

  func testValidPartialIsBuiltAndAnInvalidOneIsNot() async throws {
    let validation = rules.asking(.check(\.name, "taken") { $0 != "ada" })
    guard case .valid(let user) = try await validation.validate(partial(name: "grace", email: "g")) else {
      return XCTFail("all is there")
    }
    XCTAssertEqual(user.name, "grace")
    guard case .incomplete(let issues) = try await validation.validate(partial(name: "ada", email: "a")) else {
      return XCTFail("the name is taken")
    }
    XCTAssertEqual(issues.reasons, [.invalidValue(\User.name)])
  }

  func testRuleThatThrowsCancelsTheOtherRules() async {
    let validation = rules.asking(
      .check(\.name) { _ in throw Unreachable() },
      .check(\.email) { _ in
        let gate = Gate()
        await withTaskCancellationHandler {
          await gate.pass()
        } onCancel: {
          gate.open()
        }
        return true
      })
    do {
      _ = try await validation.issues(in: partial(name: "ada", email: "a"))
      XCTFail("the error of the rule is lost")
    } catch {
      XCTAssertTrue(error is Unreachable)
    }
  }

  // MARK: While the user types

  func testUnchangedValueIsNotCheckedAgain() async throws {
    let questions = Questions()
    let validation = rules.asking(
      .check(\.name, "taken") { name in
        await questions.ask(name)
        return name != "ada"
      },
      .check(\.email, "bounced") { email in
        await questions.ask(email)
        return true
      })
    for email in ["x", "y", "y"] {
      expectEqual(try await validation.issues(in: partial(name: "ada", email: email))?.map(\.message), ["taken"])
    }
    var asked = await questions.asked
    XCTAssertEqual(asked.sorted(), ["ada", "x", "y"])

    _ = try await validation.issues(in: partial(name: "a", email: "y"))
    _ = try await validation.issues(in: partial(name: "ada", email: "y"))
    asked = await questions.asked
    XCTAssertEqual(asked.count, 3, "the earlier answers are remembered")
    let copy = validation
    _ = try await copy.issues(in: partial(name: "ada", email: "y"))
    let other = rules.asking(
      .check(\.name, "taken") {
        await questions.ask($0); return true
      })
    _ = try await other.issues(in: partial(name: "ada", email: "y"))
    asked = await questions.asked
    XCTAssertEqual(asked.count, 4, "another validation remembers nothing")
  }

  func testAnswerForAnOlderValueIsDropped() async throws {
    let (older, asked) = (Gate(), Gate())
    let validation = rules.asking(
      .check(\.name, "taken") { name in
        guard name == "ada" else { return true }
        asked.open()
        await older.pass()
        return false
      })
    let form = partial(name: "ada", email: "x")
    let first = Task { try await validation.issues(in: form) }
    await asked.pass()
    let newer = try await validation.issues(in: partial(name: "adam", email: "x"))
    XCTAssertNil(newer)
    older.open()
    do {
      _ = try await first.value
      XCTFail("the answer is about an older value")
    } catch { XCTAssertTrue(error is CancellationError) }
    let again = try await validation.issues(in: partial(name: "adam", email: "x"))
    XCTAssertNil(again, "the older answer does not replace the newer one")
  }

  func testCheckOfAReplacedValueIsCancelled() async throws {
    let (asked, cancelled) = (Gate(), Gate())
    let validation = rules.asking(
      .check(\.name, "taken") { _ in
        asked.open()
        await withTaskCancellationHandler {
          await cancelled.pass()
        } onCancel: {
          cancelled.open()
        }
        return false
      })
    let form = partial(name: "ada", email: "x")
    let first = Task { try await validation.issues(in: form) }
    await asked.pass()
    expectEqual(try await validation.issues(in: partial(name: "a", email: "x"))?.map(\.message), ["short"])
    await cancelled.pass()
    let result = await first.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
  }

  func testCallWaitsForTheCheckOfACancelledCall() async throws {
    let questions = Questions()
    let (answer, asked) = (Gate(), Gate())
    let validation = rules.asking(
      .check(\.name, "taken") { name in
        await questions.ask(name)
        asked.open()
        await answer.pass()
        return false
      },
      .check(\.email, "bounced") { email in
        if email == "second" { answer.open() }
        return true
      })
    let form = partial(name: "ada", email: "first")
    let first = Task { try await validation.issues(in: form) }
    await asked.pass()
    first.cancel()
    expectEqual(try await validation.issues(in: partial(name: "ada", email: "second"))?.map(\.message), ["taken"])
    expectEqual(await questions.asked, ["ada"], "the check of a cancelled call continues")
    let result = await first.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
  }

  func testCheckThatThrewRunsAgain() async throws {
    let questions = Questions()
    let validation = rules.asking(
      .check(\.name, "taken") { name in
        await questions.ask(name)
        if await questions.asked.count == 1 { throw Unreachable() }
        return true
      })
    do {
      _ = try await validation.issues(in: partial(name: "ada", email: "x"))
      XCTFail("the error of the rule is lost")
    } catch { XCTAssertTrue(error is Unreachable) }
    expect(try await validation.issues(in: partial(name: "ada", email: "x")) == nil)
  }

  func testTextThatDoesNotParseIsNotChecked() async throws {
    let validation = rules.asking(.check(\.code, "unknown") { $0 > 1 })
    var form = Partial(over: try User(from: partial(name: "ada", email: "x", code: 1)))
    form.enter("4x", at: \.code) { Int($0) }
    let issues = try await validation.issues(in: form)
    XCTAssertEqual(issues?.map(\.kind), [.notUnderstood])
    let ofWhole = rules.asking(.check(\.self, "unknown") { _ in false })
    expectEqual(try await ofWhole.issues(in: form)?.map(\.kind), [.notUnderstood])
  }

  func testValueWithAnInvalidMemberIsNotChecked() async throws {
    let validation = Partial<User>.Validation(.check(\.code, "too small") { $0 > 1 })
      .asking(.check(\.self, "unknown") { _ in false })
    let form = Partial(over: try User(from: partial(name: "ada", email: "x", code: 1)))
    let issues = try await validation.issues(in: form)
    XCTAssertEqual(issues?.map(\.message), ["too small"])
    // A member of an invalid value is checked, however.
    let ofPart = Partial<User>.Validation(.check(\.self, "odd") { _ in false })
      .asking(.check(\.name, "taken") { _ in false })
    expectEqual(try await ofPart.issues(in: form)?.map(\.message), ["odd", "taken"])
  }

  func testValueThatMayHaveChangedInPlaceIsCheckedAgain() async throws {
    let counter = Counter(), plain = Plain(text: "a", numbers: [1], inner: .some(.init(flag: true)), kind: .none)
    let things = Things(
      counter: counter, maybe: counter, holder: Holder(counter: counter), list: [Holder(counter: counter)],
      table: ["a": counter], set: [counter], plain: plain, number: .nan,
      chain: (0..<200).reduce(.end) { chain, _ in .link(chain) })
    let keyPaths: [(name: String, count: Int, rule: (Questions) -> Partial<Things>.AsyncValidation.Rule)] = [
      ("object", 2, { questions in .check(\.counter, "") { _ in await questions.yes("") } }),
      ("optional", 2, { questions in .check(\.maybe, "") { (_: Counter?) in await questions.yes("") } }),
      ("struct", 2, { questions in .check(\.holder, "") { _ in await questions.yes("") } }),
      ("array", 2, { questions in .check(\.list, "") { _ in await questions.yes("") } }),
      ("table", 2, { questions in .check(\.table, "") { _ in await questions.yes("") } }),
      ("set", 2, { questions in .check(\.set, "") { _ in await questions.yes("") } }),
      ("NaN", 2, { questions in .check(\.number, "") { _ in await questions.yes("") } }),
      ("levels", 2, { questions in .check(\.chain, "") { _ in await questions.yes("") } }),
      ("plain", 1, { questions in .check(\.plain, "") { _ in await questions.yes("") } }),
    ]
    for (name, count, rule) in keyPaths {
      let questions = Questions()
      let validation = Partial<Things>.Validation().asking(rule(questions))
      for _ in 0..<2 { _ = try await validation.issues(in: Partial(things)) }
      expectEqual(await questions.asked.count, count, name)
    }
  }

  func testChangedValueThatIsNotEquatableIsCheckedAgain() async throws {
    struct Form: Sendable { var inner: Plain.Inner, kind: Plain.Kind }
    let questions = Questions()
    let validation = Partial<Form>.Validation().asking(
      .check(\.inner, "") { await questions.yes("\($0.flag)") }, .check(\.kind, "") { await questions.yes("\($0)") })
    for (flag, kind) in [(true, .some("a")), (true, .some("a")), (false, .some("a")), (false, .other("a"))]
      as [(Bool, Plain.Kind)]
    {
      _ = try await validation.issues(in: Partial(Form(inner: .init(flag: flag), kind: kind)))
    }
    expectEqual(await questions.asked.sorted(), ["false", #"other("a")"#, #"some("a")"#, "true"])
  }

  /// A rule that computes without suspending must delay neither other calls nor its own cancellation.
  func testComputingRuleIsCancelledByANewerValue() async throws {
    try XCTSkipIf(ProcessInfo.processInfo.activeProcessorCount < 2, "the computing rule would occupy the only core")
    let (begun, ended) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Bool.self))
    let validation = Partial<User>.Validation().asking(
      .check(\.name, "unknown") { name in
        guard name == "old" else { return true }
        begun.continuation.yield()
        // Like a search that checks for cancellation. It ends after 20 seconds, so that a failure doesn't hang the
        // test.
        let end = ContinuousClock.now + .seconds(20)
        while !Task.isCancelled, ContinuousClock.now < end {}
        ended.continuation.yield(Task.isCancelled)
        return true
      })
    let form = partial(name: "old")
    let old = Task { try await validation.issues(in: form) }
    for await _ in begun.stream { break }
    expect(try await validation.issues(in: partial(name: "new")) == nil)
    for await isCancelled in ended.stream {
      XCTAssertTrue(isCancelled)
      break
    }
    do {
      _ = try await old.value
      XCTFail("the check of the old value was not cancelled")
    } catch { XCTAssert(error is CancellationError) }
  }
}
