import Partials

// The values that the suite of Partial collects, and other designs for collecting them.

/// Three words, which an existential stores inline.
struct Triple {
  var a = 1, b = 2, c = 3
}

/// Eight words, which an existential stores in a box.
struct Octuple {
  var a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8
}

/// The values that the properties are set to.
struct FormValues {
  var number: Int
  // Too long to be stored inline, so a copy has to retain a reference.
  var text = "a text that is long enough for the heap"
  var triple = Triple()
  var octuple = Octuple()
}

/// A form that can be collected property by property.
protocol CollectedForm: Sendable {
  static var keyPaths: [any PartialKeyPath<Self> & Sendable] { get }
  static func collect(_ values: FormValues, in collector: inout some FormCollector<Self>)
  static func build(from collector: some FormCollector<Self>) throws -> Self
  static func number(in collector: some FormCollector<Self>) -> Int
}

/// A design that collects values under key paths.
protocol FormCollector<Form> {
  associatedtype Form

  init()
  mutating func put<Value>(_ value: Value, at keyPath: any WritableKeyPath<Form, Value> & Sendable)
  func value<Value>(for keyPath: @autoclosure () -> any KeyPath<Form, Value> & Sendable) throws -> Value
}

/// A design that collects values in optionals.
protocol OptionalForm {
  associatedtype Form

  var i0: Int? { get }
  var isComplete: Bool { get }
  init(_ values: FormValues)
  func build() -> Form?
}

extension Partial: FormCollector {
  typealias Form = Root

  @inline(__always)
  mutating func put<Value>(_ value: Value, at keyPath: any WritableKeyPath<Root, Value> & Sendable) {
    update(keyPath, to: value)
  }
}

/// The posts' design: a dictionary of values under their key paths.
struct DictionaryPartial<Form>: FormCollector {
  struct MissingValueError: Error {}

  private var values: [PartialKeyPath<Form>: Any] = [:]

  init() {}

  mutating func put<Value>(_ value: Value, at keyPath: any WritableKeyPath<Form, Value> & Sendable) {
    values[keyPath] = value
  }

  func value<Value>(for keyPath: @autoclosure () -> any KeyPath<Form, Value> & Sendable) throws -> Value {
    guard let value = values[keyPath()] as? Value else { throw MissingValueError() }
    return value
  }

  func isComplete(_ required: [PartialKeyPath<Form>]) -> Bool {
    required.allSatisfy { values[$0] != nil }
  }
}

struct Form2: CollectedForm {
  var i0: Int, s0: String

  static let keyPaths: [any PartialKeyPath<Form2> & Sendable] = [\.i0, \.s0]

  static func collect(_ values: FormValues, in collector: inout some FormCollector<Form2>) {
    collector.put(values.number, at: \.i0)
    collector.put(values.text, at: \.s0)
  }

  static func build(from collector: some FormCollector<Form2>) throws -> Form2 {
    try Form2(
      i0: collector.value(for: \.i0), s0: collector.value(for: \.s0))
  }

  static func number(in collector: some FormCollector<Form2>) -> Int {
    (try? collector.value(for: \.i0)) ?? -1
  }
}

/// `Form2` with each property optional, as it would be written by hand.
struct OptionalForm2: OptionalForm {
  var i0: Int?, s0: String?

  init(_ values: FormValues) {
    i0 = values.number; s0 = values.text
  }

  var isComplete: Bool {
    i0 != nil && s0 != nil
  }

  func build() -> Form2? {
    guard
      let i0, let s0
    else { return nil }
    return Form2(
      i0: i0, s0: s0)
  }
}

struct Form8: CollectedForm {
  var i0: Int, s0: String, v0: Triple, w0: Octuple, i1: Int, s1: String, i2: Int, s2: String

  static let keyPaths: [any PartialKeyPath<Form8> & Sendable] = [\.i0, \.s0, \.v0, \.w0, \.i1, \.s1, \.i2, \.s2]

  static func collect(_ values: FormValues, in collector: inout some FormCollector<Form8>) {
    collector.put(values.number, at: \.i0)
    collector.put(values.text, at: \.s0)
    collector.put(values.triple, at: \.v0)
    collector.put(values.octuple, at: \.w0)
    collector.put(values.number, at: \.i1)
    collector.put(values.text, at: \.s1)
    collector.put(values.number, at: \.i2)
    collector.put(values.text, at: \.s2)
  }

  static func build(from collector: some FormCollector<Form8>) throws -> Form8 {
    try Form8(
      i0: collector.value(for: \.i0), s0: collector.value(for: \.s0), v0: collector.value(for: \.v0),
      w0: collector.value(for: \.w0), i1: collector.value(for: \.i1), s1: collector.value(for: \.s1),
      i2: collector.value(for: \.i2), s2: collector.value(for: \.s2))
  }

  static func number(in collector: some FormCollector<Form8>) -> Int {
    (try? collector.value(for: \.i0)) ?? -1
  }
}

/// `Form8` with each property optional, as it would be written by hand.
struct OptionalForm8: OptionalForm {
  var i0: Int?, s0: String?, v0: Triple?, w0: Octuple?, i1: Int?, s1: String?, i2: Int?, s2: String?

  init(_ values: FormValues) {
    i0 = values.number; s0 = values.text; v0 = values.triple; w0 = values.octuple; i1 = values.number;
    s1 = values.text; i2 = values.number; s2 = values.text
  }

  var isComplete: Bool {
    i0 != nil && s0 != nil && v0 != nil && w0 != nil && i1 != nil && s1 != nil && i2 != nil && s2 != nil
  }

  func build() -> Form8? {
    guard
      let i0, let s0, let v0, let w0, let i1, let s1, let i2, let s2
    else { return nil }
    return Form8(
      i0: i0, s0: s0, v0: v0, w0: w0, i1: i1, s1: s1, i2: i2, s2: s2)
  }
}

struct Form30: CollectedForm {
  var i0: Int, s0: String, i1: Int, s1: String, w0: Octuple, i2: Int, s2: String, v0: Triple, i3: Int, s3: String
  var i4: Int, s4: String, i5: Int, s5: String, w1: Octuple, i6: Int, s6: String, v1: Triple, i7: Int, s7: String
  var i8: Int, s8: String, i9: Int, s9: String, w2: Octuple, i10: Int, s10: String, v2: Triple, i11: Int
  var s11: String

  static let keyPaths: [any PartialKeyPath<Form30> & Sendable] = [
    \.i0, \.s0, \.i1, \.s1, \.w0, \.i2, \.s2, \.v0, \.i3, \.s3, \.i4, \.s4, \.i5, \.s5, \.w1, \.i6, \.s6, \.v1, \.i7,
    \.s7, \.i8, \.s8, \.i9, \.s9, \.w2, \.i10, \.s10, \.v2, \.i11, \.s11,
  ]

  static func collect(_ values: FormValues, in collector: inout some FormCollector<Form30>) {
    collector.put(values.number, at: \.i0)
    collector.put(values.text, at: \.s0)
    collector.put(values.number, at: \.i1)
    collector.put(values.text, at: \.s1)
    collector.put(values.octuple, at: \.w0)
    collector.put(values.number, at: \.i2)
    collector.put(values.text, at: \.s2)
    collector.put(values.triple, at: \.v0)
    collector.put(values.number, at: \.i3)
    collector.put(values.text, at: \.s3)
    collector.put(values.number, at: \.i4)
    collector.put(values.text, at: \.s4)
    collector.put(values.number, at: \.i5)
    collector.put(values.text, at: \.s5)
    collector.put(values.octuple, at: \.w1)
    collector.put(values.number, at: \.i6)
    collector.put(values.text, at: \.s6)
    collector.put(values.triple, at: \.v1)
    collector.put(values.number, at: \.i7)
    collector.put(values.text, at: \.s7)
    collector.put(values.number, at: \.i8)
    collector.put(values.text, at: \.s8)
    collector.put(values.number, at: \.i9)
    collector.put(values.text, at: \.s9)
    collector.put(values.octuple, at: \.w2)
    collector.put(values.number, at: \.i10)
    collector.put(values.text, at: \.s10)
    collector.put(values.triple, at: \.v2)
    collector.put(values.number, at: \.i11)
    collector.put(values.text, at: \.s11)
  }

  static func build(from collector: some FormCollector<Form30>) throws -> Form30 {
    try Form30(
      i0: collector.value(for: \.i0), s0: collector.value(for: \.s0), i1: collector.value(for: \.i1),
      s1: collector.value(for: \.s1), w0: collector.value(for: \.w0), i2: collector.value(for: \.i2),
      s2: collector.value(for: \.s2), v0: collector.value(for: \.v0), i3: collector.value(for: \.i3),
      s3: collector.value(for: \.s3), i4: collector.value(for: \.i4), s4: collector.value(for: \.s4),
      i5: collector.value(for: \.i5), s5: collector.value(for: \.s5), w1: collector.value(for: \.w1),
      i6: collector.value(for: \.i6), s6: collector.value(for: \.s6), v1: collector.value(for: \.v1),
      i7: collector.value(for: \.i7), s7: collector.value(for: \.s7), i8: collector.value(for: \.i8),
      s8: collector.value(for: \.s8), i9: collector.value(for: \.i9), s9: collector.value(for: \.s9),
      w2: collector.value(for: \.w2), i10: collector.value(for: \.i10), s10: collector.value(for: \.s10),
      v2: collector.value(for: \.v2), i11: collector.value(for: \.i11), s11: collector.value(for: \.s11))
  }

  static func number(in collector: some FormCollector<Form30>) -> Int {
    (try? collector.value(for: \.i0)) ?? -1
  }
}

/// `Form30` with each property optional, as it would be written by hand.
struct OptionalForm30: OptionalForm {
  var i0: Int?, s0: String?, i1: Int?, s1: String?, w0: Octuple?, i2: Int?, s2: String?, v0: Triple?, i3: Int?
  var s3: String?, i4: Int?, s4: String?, i5: Int?, s5: String?, w1: Octuple?, i6: Int?, s6: String?, v1: Triple?
  var i7: Int?, s7: String?, i8: Int?, s8: String?, i9: Int?, s9: String?, w2: Octuple?, i10: Int?, s10: String?
  var v2: Triple?, i11: Int?, s11: String?

  init(_ values: FormValues) {
    i0 = values.number; s0 = values.text; i1 = values.number; s1 = values.text; w0 = values.octuple;
    i2 = values.number; s2 = values.text; v0 = values.triple; i3 = values.number; s3 = values.text;
    i4 = values.number; s4 = values.text; i5 = values.number; s5 = values.text; w1 = values.octuple;
    i6 = values.number; s6 = values.text; v1 = values.triple; i7 = values.number; s7 = values.text;
    i8 = values.number; s8 = values.text; i9 = values.number; s9 = values.text; w2 = values.octuple;
    i10 = values.number; s10 = values.text; v2 = values.triple; i11 = values.number; s11 = values.text
  }

  var isComplete: Bool {
    i0 != nil && s0 != nil && i1 != nil && s1 != nil && w0 != nil && i2 != nil && s2 != nil && v0 != nil && i3 != nil
      && s3 != nil && i4 != nil && s4 != nil && i5 != nil && s5 != nil && w1 != nil && i6 != nil && s6 != nil
      && v1 != nil && i7 != nil && s7 != nil && i8 != nil && s8 != nil && i9 != nil && s9 != nil && w2 != nil
      && i10 != nil && s10 != nil && v2 != nil && i11 != nil && s11 != nil
  }

  func build() -> Form30? {
    guard
      let i0, let s0, let i1, let s1, let w0, let i2, let s2, let v0, let i3, let s3, let i4, let s4, let i5, let s5,
      let w1, let i6, let s6, let v1, let i7, let s7, let i8, let s8, let i9, let s9, let w2, let i10, let s10,
      let v2, let i11, let s11
    else { return nil }
    return Form30(
      i0: i0, s0: s0, i1: i1, s1: s1, w0: w0, i2: i2, s2: s2, v0: v0, i3: i3, s3: s3, i4: i4, s4: s4, i5: i5, s5: s5,
      w1: w1, i6: i6, s6: s6, v1: v1, i7: i7, s7: s7, i8: i8, s8: s8, i9: i9, s9: s9, w2: w2, i10: i10, s10: s10,
      v2: v2, i11: i11, s11: s11)
  }
}
