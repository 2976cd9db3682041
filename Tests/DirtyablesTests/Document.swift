/// What the tests edit: a member that is trivial, one that is counted, one that shares a buffer, and two levels.
struct Document: Hashable, Codable, Sendable {
  struct Address: Hashable, Codable, Sendable {
    var city = "Delft"
    var number = 1
  }

  var title = "Draft"
  var count = 0
  var items = [1, 2, 3]
  var address = Address()

  /// A property without storage, written through to one that has it.
  var heading: String {
    get { title.uppercased() }
    set { title = newValue.lowercased() }
  }
}
