package import Journals

extension Recovery {
  /// The number of unfinished changes, with which the description of a recovered journal begins.
  package var changeCount: Int? { description.split(separator: " ").first.flatMap { Int($0) } }
}
