import Foundation
import UniqueQueues
import XCTest

/// A feed to refresh; two requests for one address are the same.
private struct Feed: Hashable, Codable {
  var address: String
  var reason = "timer"

  static func == (left: Feed, right: Feed) -> Bool { left.address == right.address }
  func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

/// Refreshes feeds one after the other, each once, however often it was requested.
private actor FeedRefresher {
  private var waiting: UniqueQueue<Feed>
  private let limit: Int

  init(limit: Int = 100, resuming saved: Data? = nil) throws {
    self.limit = limit
    waiting = try saved.map { try JSONDecoder().decode(UniqueQueue<Feed>.self, from: $0) } ?? []
  }

  /// Returns whether the feed was not waiting already.
  func request(_ address: String) -> Bool {
    let isNew = waiting.append(Feed(address: address)).inserted
    while waiting.count > limit { waiting.removeFirst() }
    return isNew
  }

  /// A person waits for this feed, so it comes first.
  func requestNow(_ address: String) {
    waiting.remove(Feed(address: address))
    waiting.prepend(Feed(address: address, reason: "person"))
  }

  func cancel(_ address: String) -> Bool { waiting.remove(Feed(address: address)) != nil }

  /// Returns the feeds that could not be fetched, which wait again.
  func run(_ fetch: (Feed) async throws -> Void) async -> [String] {
    var failed: [Feed] = []
    while let feed = waiting.popFirst() {
      do { try await fetch(feed) } catch { failed.append(feed) }
    }
    waiting.append(contentsOf: failed)
    return failed.map(\.address)
  }

  func saved() throws -> Data { try JSONEncoder().encode(waiting) }

  var addresses: [String] { waiting.map(\.address) }
}

/// A service that uses only `UniqueQueue`, written as its author would write it.
final class FeedRefresherTests: XCTestCase {
  private struct Away: Error {}

  func testEachFeedIsFetchedOnceAndAPersonComesFirst() async throws {
    let refresher = try FeedRefresher()
    var answers: [Bool] = []
    for address in ["news", "blog", "news", "photos"] { answers.append(await refresher.request(address)) }
    XCTAssertEqual(answers, [true, true, false, true])
    await refresher.requestNow("photos")
    let cancelled = await [refresher.cancel("blog"), refresher.cancel("blog")]
    XCTAssertEqual(cancelled, [true, false])

    let fetched = Fetched()
    let failed = await refresher.run { await fetched.add($0) }
    XCTAssertEqual(failed, [])
    let feeds = await fetched.feeds
    XCTAssertEqual(feeds.map(\.address), ["photos", "news"])
    XCTAssertEqual(feeds.map(\.reason), ["person", "timer"])
  }

  func testFeedsThatFailWaitAgainAndForTheNextStart() async throws {
    let refresher = try FeedRefresher(limit: 3)
    for address in ["news", "blog", "photos", "music"] { _ = await refresher.request(address) }
    let failed = await refresher.run { if $0.address != "photos" { throw Away() } }
    XCTAssertEqual(failed, ["blog", "music"], "the oldest of four was dropped")
    _ = await refresher.request("news")

    let restarted = try FeedRefresher(resuming: await refresher.saved())
    let addresses = await restarted.addresses
    XCTAssertEqual(addresses, ["blog", "music", "news"])
  }

  private actor Fetched {
    private(set) var feeds: [Feed] = []
    func add(_ feed: Feed) { feeds.append(feed) }
  }
}
