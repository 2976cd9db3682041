import FileChanges
import Foundation
import Testing

#if os(Linux) || os(macOS)
  @Suite struct FileChangeWriterTrapTests {
    @Test func journalThatMayHoldNothingIsRefused() async {
      await #expect(processExitsWith: .failure) {
        var configuration = FileChangeWriter.Configuration()
        configuration.journalByteLimit = 0
        _ = FileChangeWriter(configuration: configuration)
      }
    }

    @Test func writerInWhichNothingMayWaitIsRefused() async {
      await #expect(processExitsWith: .failure) {
        var configuration = FileChangeWriter.Configuration()
        configuration.waitingByteLimit = 0
        _ = FileChangeWriter(configuration: configuration)
      }
    }

    @Test func writerThatMayWriteNothingIsRefused() async {
      await #expect(processExitsWith: .failure) {
        var configuration = FileChangeWriter.Configuration()
        configuration.parallelFiles = 0
        _ = FileChangeWriter(configuration: configuration)
      }
    }

    @Test func writerThatMayTellNothingIsRefused() async {
      await #expect(processExitsWith: .failure) {
        var configuration = FileChangeWriter.Configuration()
        configuration.eventLimit = 0
        _ = FileChangeWriter(configuration: configuration)
      }
    }

    @Test func writerThatMayNotEvenTryIsRefused() async {
      await #expect(processExitsWith: .failure) {
        var configuration = FileChangeWriter.Configuration()
        configuration.backoff.attempts = 0
        _ = FileChangeWriter(configuration: configuration)
      }
    }
  }
#endif
