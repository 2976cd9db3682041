/// What earlier attempts at the changes of a file may have left, of this process or of one that was killed.
package struct _Leftovers: Hashable, Sendable {
  /// What a process that was killed may have been doing.
  package struct Attempt: Hashable, Sendable {
    package let temporaryName: String
    package let action: FileChange.Action
  }

  /// The name of the change's temporary file, which no other change has; without one it is random.
  package let temporaryName: String?
  package let attempts: [Attempt]
  /// What the same writer has made of the file.
  package let version: FileChange.Version?

  package static let none = _Leftovers()

  package init(temporaryName: String? = nil, attempts: [Attempt] = [], version: FileChange.Version? = nil) {
    self.temporaryName = temporaryName
    self.attempts = attempts
    self.version = version
  }
}
