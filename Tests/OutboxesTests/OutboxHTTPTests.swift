#if os(Linux) && canImport(Glibc)
  import Dispatch
  import Foundation
  import Glibc
  import Outboxes
  import PendingChanges
  import TestSupport
  import XCTest

  /// An outbox that sends to a real server, which returns errors, drops connections, and sometimes fails after it has
  /// applied a change.
  final class OutboxHTTPTests: XCTestCase {
    func testEveryChangeIsAppliedAndDuplicatesReuseTheirID() async throws {
      let folder = try TemporaryFolder()
      let server = try PythonServer(log: folder.file("log"))
      defer { server.stop() }
      var configuration = Outbox<Joined>.Configuration(journalByteLimit: 4000)
      configuration.backoff = .init(firstDelay: .milliseconds(1), longestDelay: .milliseconds(8))
      var accepted: [Int: [Int]] = [:]
      for round in 0..<3 {
        let outbox = try await Outbox<Joined>(journal: folder.file("outbox"), configuration: configuration) {
          try await server.send($0)
        }
        for value in 0..<40 {
          let change = Joined(value % 5, 100 * round + value)
          try await outbox.insert(change)
          accepted[change.key, default: []] += change.values
          if value == 20 {
            // While the outbox is paused, changes are merged.
            await outbox.pause()
          } else if value == 30 {
            await outbox.resume()
          }
        }
        // The next outbox continues with the changes that were pending or in flight.
        if round < 2 { await outbox.close() }
        guard round == 2 else { continue }
        try await outbox.drain()
        // The server refuses no change twice, but a change that was merged with a refused one is a new change.
        while case let letters = await outbox.failures, !letters.isEmpty {
          for letter in letters { await outbox.requeue(id: letter.id) }
          try await outbox.drain()
        }
      }
      var contents: [String: String] = [:]
      var (applied, duplicates) = ([Int: [Int]](), 0)
      for line in try String(contentsOf: folder.file("log"), encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3, let key = Int(words[1]) else { return XCTFail("\(line)") }
        if let before = contents.updateValue(words[2], forKey: words[0]) {
          XCTAssertEqual(words[2], before, "contents of \(words[0])")
          duplicates += 1
        } else {
          applied[key, default: []] += words[2].split(separator: ",").compactMap { Int($0) }
        }
      }
      XCTAssertEqual(applied, accepted)
      XCTAssertGreaterThan(duplicates, 0, "the server never applied and failed")
    }
  }

  /// A Python server that responds to each request at random.
  private final class PythonServer: Sendable {
    private static let program = """
      import http.server, json, random, sys, threading
      random.seed(1)
      lock, log, refused = threading.Lock(), [], set()
      class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments): pass
        def answer(self, status, text=""):
          body = text.encode()
          self.send_response(status)
          self.send_header("Content-Length", str(len(body)))
          self.end_headers()
          self.wfile.write(body)
        def drop(self):
          self.close_connection = True
          self.connection.close(2)
        def do_PATCH(self):
          change = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
          key = self.headers["Idempotency-Key"]
          with lock: deed = random.randrange(10)
          if deed == 0: return self.answer(500)
          if deed == 1: return self.drop()
          if deed == 2: return self.answer(503)
          with lock: isKnown = any(line.startswith(key) for line in log)
          if deed == 3 and not isKnown and key not in refused:
            refused.add(key)
            return self.answer(422, "no")
          line = "%s %d %s" % (key, change["key"], ",".join(map(str, change["values"])))
          with lock:
            log.append(line)
            with open(sys.argv[1], "a") as file: file.write(line + "\\n")
          if deed == 4: return self.answer(500)
          if deed == 5: return self.drop()
          self.answer(200)
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_address[1], flush=True)
      server.serve_forever()
      """

    private let process: Process
    private let port: UInt16

    /// - Parameter log: The file to which the server appends each change that it applies: a line with an ID, a key and
    ///   values.
    init(log: URL) throws {
      process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["python3", "-c", Self.program, log.path]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
        process.terminate()
        throw XCTSkip("there is no Python to be the server")
      }
      self.port = port
    }

    /// Uses `SIGKILL` because the child inherits the signal mask of its parent thread, which may block other signals.
    func stop() { kill(process.processIdentifier, SIGKILL) }

    func send(_ entry: Outbox<Joined>.Entry) async throws -> Outbox<Joined>.Answer {
      let contents = try JSONEncoder().encode(entry.change)
      let response = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: self.exchange(contents, id: entry.id)) }
      }
      let words = response.split(separator: " ")
      guard words.count > 1, words[0].hasPrefix("HTTP/") else { throw Dropped() }
      switch words[1] {
      case "200": return .done
      case "422": return .refused("no")
      case "503": return .retry(after: .milliseconds(2))
      default: throw Status(code: String(words[1]))
      }
    }

    struct Dropped: Error {}
    struct Status: Error { let code: String }

    /// Sends a request on a new connection, and returns the response, or an empty string if the connection was dropped.
    ///
    /// Doesn't use `URLSession`: on Linux it never completes some of the requests that are canceled or dropped.
    private func exchange(_ contents: Data, id: String) -> String {
      let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(file) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe connect(file, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      let head = "PATCH / HTTP/1.0\r\nIdempotency-Key: \(id)\r\nContent-Length: \(contents.count)\r\n\r\n"
      let request = Data(head.utf8) + contents
      let sent = unsafe request.withUnsafeBytes { bytes in
        unsafe isConnected ? Glibc.send(file, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) : -1
      }
      guard sent == request.count else { return "" }
      var response = [UInt8](repeating: 0, count: 4096)
      let count = unsafe response.withUnsafeMutableBytes { unsafe recv(file, $0.baseAddress, $0.count, 0) }
      return String(decoding: response.prefix(max(0, count)), as: UTF8.self)
    }
  }
#endif
