/// The value that the tests edit, with a text, a number, an array that shares its buffer, and a nested struct.
struct Document: Hashable, Codable, Sendable {
  struct Address: Hashable, Codable, Sendable {
    var city = "Delft"
    var number = 1
  }

  var title = "Draft"
  var count = 0
  var items = [1, 2, 3]
  var address = Address()

  /// A computed property that writes `title`.
  var heading: String {
    get { title.uppercased() }
    set { title = newValue.lowercased() }
  }
}
