/// A type that can be built from a partial.
///
/// ```swift
/// struct User {
///   let firstName: String
///   let age: Int?
/// }
///
/// extension User: PartialInitializable {
///   init(from partial: Partial<User>) throws {
///     self.firstName = try partial.value(for: \.firstName)
///     self.age = partial.value(for: \.age)
///   }
/// }
/// ```
public protocol PartialInitializable {
  /// Builds a value from `partial`, or throws when something is missing.
  init(from partial: Partial<Self>) throws
}
