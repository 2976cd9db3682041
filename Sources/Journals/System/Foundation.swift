// What the targets that keep files use of Foundation, for all of them: from the small library where there is one. With
// the whole of Foundation a program would carry the texts and the calendars of all languages.

#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif

extension URL {
  /// The path of the file of this machine that the URL locates; nil where it locates none, or the path is no text.
  package var localPath: String? {
    let path = path(percentEncoded: false)
    let isLocal = isFileURL && ["", "localhost"].contains(host(percentEncoded: false) ?? "")
    return isLocal && !path.isEmpty ? path : nil
  }
}
