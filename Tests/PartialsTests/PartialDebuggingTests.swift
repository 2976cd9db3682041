import Partials
import XCTest

private struct Product: Sendable, PartialSchemaProviding {
  var description: String
  var price: Int
  var size: Size
  struct Size: Codable, Hashable, Sendable { var width = 1, height = 2 }
  static let partialSchema = Partial<Product>.Schema(
    ("description", \.description), ("price", \.price), ("size", \.size))
}

private struct Plain: Sendable {
  var number = 1
  var half: Int { number / 2 }
}

final class PartialDebuggingTests: XCTestCase {
  func testMemberNamedDescriptionIsReadFromTheRoot() {
    var form = Partial<Product>()
    form.description = "A lamp"
    let description: String? = form.description
    XCTAssertEqual(description, "A lamp")
    XCTAssertFalse(form as Any is any CustomStringConvertible)
    XCTAssertEqual("\(form)", #"Partial<Product>(description: "A lamp")"#)
  }

  func testMirrorLabelsSetValuesWithTheirSchemaNames() {
    var form = Partial(over: Product(description: "A lamp", price: 5, size: .init()))
    form.description = "A lantern"
    form.size = .init()
    form.changes.customMirror.children.forEach { XCTAssertNotNil($0.label) }
    form.enter("4x", at: \.price) { Int($0) }
    let mirror = Mirror(reflecting: form)
    XCTAssertEqual(mirror.children.map(\.label), ["description", "size", "price", "over"])
    XCTAssertEqual(mirror.children.first?.value as? String, "A lantern")
    XCTAssertEqual(mirror.descendant("size") as? Product.Size, Product.Size())
    XCTAssertEqual(mirror.descendant("price") as? String, "4x")
    XCTAssertEqual((mirror.descendant("over") as? Product)?.price, 5)
    XCTAssertEqual(mirror.displayStyle, .struct)
    XCTAssertTrue(form.debugDescription.contains(#"price: "4x" not understood, over: "#), form.debugDescription)
  }

  func testMirrorWithoutASchemaLabelsValuesWithTheirTypes() {
    var form = Partial<Plain>()
    XCTAssertTrue(Mirror(reflecting: form).children.isEmpty)
    form.number = 4
    form[\.half] = 2
    let mirror = Mirror(reflecting: form)
    XCTAssertEqual(mirror.children.first?.label, "Int")
    XCTAssertEqual(mirror.children.map { $0.value as? Int }, [4, 2])
  }

  func testMirrorHidesAValueThatLostAMember() {
    var form = Partial<Product>()
    form.size = .init()
    form.removeValue(for: \.size.width)
    let mirror = Mirror(reflecting: form)
    XCTAssertEqual(mirror.children.map(\.label), ["size"])
    XCTAssertNil(mirror.descendant("size") as? Product.Size)
  }
}
