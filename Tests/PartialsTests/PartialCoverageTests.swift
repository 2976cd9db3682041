import Foundation
import Partials
import Testing

private struct Address: Hashable, Codable, Sendable, PartialSchemaProviding {
  var street = ""
  var town = ""
  static let partialSchema = Partial<Address>.Schema(("street", \.street)).ignored(\.town)
}

/// A root whose schema is chosen by the test.
private struct User: Sendable, PartialSchemaProviding {
  var isOld = false
  var name = ""
  var age = 1
  var observed = 2 { didSet { age = observed } }
  var address = Address()
  var flag = false
  var shout: String { name.uppercased() }

  @TaskLocal static var schema = Partial<User>.Schema()
  static var partialSchema: Partial<User>.Schema { schema }
}

private typealias Schema = Partial<User>.Schema

/// Uses the schema in every way that checks its coverage.
private func use(_ schema: Schema) throws {
  try User.$schema.withValue(schema) {
    var form = Partial(over: User())
    form.age = 5
    _ = (form.differences, form == form, form.hashValue, schema.names(setIn: form))
    _ = try JSONDecoder().decode(Partial<User>.self, from: try JSONEncoder().encode(form))
  }
}

@Suite struct PartialCoverageTests {
  @Test func schemaMayDeclareOrIgnoreEachStoredProperty() throws {
    let declared = Schema(
      ("isOld", \.isOld), ("name", \.name), ("age", \.age), ("observed", \.observed), ("flag", \.flag))
    try use(declared.nesting("address", \.address))
    try use(declared.ignored(\.address))
    try use(declared.ignored(\.address.town).ignored(\.address.street))
    try use(Schema(("age", \.age)).ignored(\.self))
    try use(Schema(("isOld", \.isOld), ("name", \.name)).ignored(\.age, \.observed, \.address, \.flag))
    try use(Schema(("shout", \.shout)))
  }

  @Test func schemasOfEnumsAndClassesMayBeIncomplete() {
    enum Mode: PartialSchemaProviding {
      case on(Int), off
      var isOn: Bool { if case .on = self { true } else { false } }
      static let partialSchema = Partial<Mode>.Schema(("isOn", \.isOn))
    }
    final class Model: PartialSchemaProviding {
      var name = ""
      static let partialSchema = Partial<Model>.Schema()
    }
    #expect(Partial<Mode>() == Partial())
    #expect(Partial<Model>() == Partial())
  }

  #if DEBUG
    @Test func schemaThatForgetsAPropertyTraps() async {
      await #expect(processExitsWith: .failure) { try use(Schema()) }
      await #expect(processExitsWith: .failure) {
        // Forgets the name, in the middle.
        try use(Schema(("isOld", \.isOld), ("age", \.age)).ignored(\.observed, \.address, \.flag))
      }
      await #expect(processExitsWith: .failure) {
        // Forgets the flag, at the end.
        try use(Schema(("isOld", \.isOld), ("name", \.name), ("age", \.age)).ignored(\.address))
      }
      await #expect(processExitsWith: .failure) {
        // Forgets a member of the address.
        try use(Schema(("isOld", \.isOld), ("name", \.name), ("age", \.age), ("flag", \.flag)).ignored(\.address.town))
      }
    }

    @Test func everyUseOfASchemaChecksForForgottenProperties() async {
      struct Forgetful: Sendable, PartialSchemaProviding {
        var name = ""
        var age = 1
        static let partialSchema = Partial<Forgetful>.Schema(("name", \.name))
      }
      await #expect(processExitsWith: .failure) { _ = Partial<Forgetful>() == Partial() }
      await #expect(processExitsWith: .failure) { _ = Partial<Forgetful>().hashValue }
      await #expect(processExitsWith: .failure) { _ = Partial<Forgetful>().differences }
      await #expect(processExitsWith: .failure) { _ = Forgetful.partialSchema.names(setIn: Partial()) }
      await #expect(processExitsWith: .failure) { _ = try JSONEncoder().encode(Partial<Forgetful>()) }
      await #expect(processExitsWith: .failure) {
        _ = try JSONDecoder().decode(Partial<Forgetful>.self, from: Data("{}".utf8))
      }
    }
  #endif
}
