import Partials
import TestSupport
import XCTest

private typealias Tracked = LifetimeTracked<Int>

/// A root whose properties do not overlap, some with an offset and some without.
private struct Flat {
  let number: Int
  var text: String
  var numbers: [Int]
  var maybe: Int?
  var flag: Bool
  var tracked: Tracked
  var observed: Tracked { didSet {} }
  var wide: (Int, Int, Int, Int, Int)
  var computed: String {
    get { text }
    set { text = newValue }
  }
  subscript(index: Int) -> Int {
    get { numbers[index] }
    set { numbers[index] = newValue }
  }
}

/// The design of the blog posts: a dictionary from key paths to values.
private struct DictionaryPartial {
  private var values: [AnyKeyPath: Any] = [:]

  var count: Int { values.count }
  subscript(keyPath: AnyKeyPath) -> String? { values[keyPath].map { "\($0)" } }
  mutating func update(_ keyPath: AnyKeyPath, to value: Any) { values[keyPath] = value }
  mutating func removeValue(for keyPath: AnyKeyPath) { values[keyPath] = nil }
  mutating func merge(_ other: DictionaryPartial) { values.merge(other.values) { $1 } }
}

/// A key path into `Flat`, and how to use it as a literal and as an object.
private struct Field {
  let keyPath: PartialKeyPath<Flat>
  /// Sets a value made of a number, and returns it.
  let set: (inout Partial<Flat>, Int, _ literally: Bool) -> Any
  let get: (Partial<Flat>) -> String?
  let remove: (inout Partial<Flat>) -> String?

  init<Value: Sendable>(
    _ keyPath: any KeyPath<Flat, Value> & Sendable, make: @escaping (Int) -> Value,
    set: @escaping (inout Partial<Flat>, Value) -> Void, get: @escaping (Partial<Flat>) -> Value?
  ) {
    self.keyPath = keyPath
    self.set = { partial, number, literally in
      let value = make(number)
      if literally { set(&partial, value) } else { partial.update(keyPath, to: value) }
      return value
    }
    self.get = { partial in
      let value = partial[keyPath].map { "\($0)" }
      expectEqual(get(partial).map { "\($0)" }, value, "\(keyPath) as a literal")
      expectEqual(partial.contains(keyPath), value != nil, "contains \(keyPath)")
      return value
    }
    self.remove = { $0.removeValue(for: keyPath).map { "\($0)" } }
  }

  static func all(_ tracker: LifetimeTracker) -> [Field] {
    [
      Field(\.number, make: { $0 }, set: { $0[\.number] = $1 }, get: { $0[\.number] }),
      Field(\.text, make: { "a text that is long: \($0)" }, set: { $0.text = $1 }, get: { $0.text }),
      Field(\.numbers, make: { [$0] }, set: { $0.numbers = $1 }, get: { $0.numbers }),
      Field(\.maybe, make: { $0 % 3 == 0 ? nil : $0 }, set: { $0.maybe = $1 }, get: { $0.maybe }),
      Field(\.flag, make: { $0 % 2 == 0 }, set: { $0.flag = $1 }, get: { $0.flag }),
      Field(\.tracked, make: { tracker.instance($0) }, set: { $0.tracked = $1 }, get: { $0.tracked }),
      Field(\.observed, make: { tracker.instance($0) }, set: { $0.observed = $1 }, get: { $0.observed }),
      Field(\.wide, make: { ($0, 1, 2, 3, $0) }, set: { $0.wide = $1 }, get: { $0.wide }),
      Field(\.computed, make: { "\($0)" }, set: { $0.computed = $1 }, get: { $0.computed }),
      Field(\.[1], make: { $0 }, set: { $0[\.[1]] = $1 }, get: { $0[\.[1]] }),
      Field(\.[2], make: { $0 }, set: { $0[\.[2]] = $1 }, get: { $0[\.[2]] }),
    ]
  }
}

final class PartialDictionaryModelTests: XCTestCase {
  func testPropertiesWithoutOverlapBehaveLikeADictionary() {
    withSeeds(400) { random in
      withLifetimeTracking { tracker in
        let fields = Field.all(tracker)
        var partial = Partial<Flat>()
        var model = DictionaryPartial()
        for _ in 0..<random.int(in: 1..<25) {
          let field = fields[random.int(in: 0..<fields.count)]
          withHiddenCopies(if: random.chance(oneIn: 3), of: &partial, contents: \.debugDescription) { partial in
            switch random.int(in: 0..<8) {
            case 0..<5:
              let value = field.set(&partial, random.int(in: 0..<1_000), random.chance(oneIn: 2))
              model.update(field.keyPath, to: value)
            case 5, 6:
              expectEqual(field.remove(&partial), model[field.keyPath], "removed value")
              model.removeValue(for: field.keyPath)
            default:
              var (other, otherModel) = (Partial<Flat>(), DictionaryPartial())
              for field in fields.shuffled(using: &random).prefix(3) {
                otherModel.update(field.keyPath, to: field.set(&other, random.int(in: 0..<1_000), true))
              }
              partial.merge(other)
              model.merge(otherModel)
            }
          }
          for field in fields { expectEqual(field.get(partial), model[field.keyPath], "\(field.keyPath)") }
          expectEqual(partial.count, model.count, "count")
        }
      }
    }
  }
}
