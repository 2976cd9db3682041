// Re-exports the parts of Foundation that the targets which store files use; from FoundationEssentials if it exists.
// All of Foundation would link the texts and the calendars of all languages into a program.

#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif

extension URL {
  /// The path of the local file that the URL refers to; nil if it refers to none, or the path isn't valid text.
  package var localPath: String? {
    let path = path(percentEncoded: false)
    let isLocal = isFileURL && ["", "localhost"].contains(host(percentEncoded: false) ?? "")
    return isLocal && !path.isEmpty ? path : nil
  }
}
