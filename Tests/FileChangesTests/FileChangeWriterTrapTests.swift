import FileChanges
import Foundation
import Testing

#if os(Linux) || os(macOS)
  @Suite struct FileChangeWriterTrapTests {
    enum Setting: String, CaseIterable, Codable {
      case journalByteLimit, waitingByteLimit, parallelFiles, eventLimit, attempts
    }

    @Test(arguments: Setting.allCases) func writerWithAZeroLimitTraps(setting: Setting) async {
      await #expect(processExitsWith: .failure) { [setting] in
        var configuration = FileChangeWriter.Configuration()
        switch setting {
        case .journalByteLimit: configuration.journalByteLimit = 0
        case .waitingByteLimit: configuration.waitingByteLimit = 0
        case .parallelFiles: configuration.parallelFiles = 0
        case .eventLimit: configuration.eventLimit = 0
        case .attempts: configuration.backoff.attempts = 0
        }
        _ = FileChangeWriter(configuration: configuration)
      }
    }
  }
#endif
