/// A type that tells once what its properties are called, so that its partials can be compared, coded and described.
///
/// ```swift
/// struct User: PartialSchemaProviding {
///   var name: String
///   var email: String
///   var age: Int?
///
///   static let partialSchema = Partial<User>.Schema(("name", \.name), ("email", \.email), ("age", \.age))
/// }
///
/// var form = Partial(over: User(name: "Ada", email: "ada@example.com", age: 36))
/// form.email = "countess@example.com"
/// print(String(decoding: try JSONEncoder().encode(form), as: UTF8.self))   // {"email":"countess@example.com"}
/// ```
/// `Partial<User>` is then `Equatable`, `Hashable` and `Codable`.
public protocol PartialSchemaProviding {
  /// The properties that count, and their names.
  static var partialSchema: Partial<Self>.Schema { get }
}
