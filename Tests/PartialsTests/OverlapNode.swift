import Partials
import TestSupport

/// A root of three levels, with presence bits in three words.
///
/// Some structs have padding, and some values own an object or refer to one weakly. Each level has constants.
struct OverlapTree {
  typealias Tracked = LifetimeTracked<Int>

  struct Deep {
    let x: Int
    var y: Tracked
    weak var owner: LifetimeTracker?
    let z: UInt8

    init(_ numbers: [Int], _ tracker: LifetimeTracker) {
      (x, y, z) = (numbers[0], tracker.instance(numbers[1]), UInt8(numbers[2]))
      owner = tracker
    }

    var numbers: [Int] {
      expect(owner != nil, "the weak reference is lost")
      return [x, y.payload, Int(z)]
    }
  }

  struct Inner {
    var a: UInt8
    var deep: Deep
    // Lies in the bytes between the size of `deep` and its stride.
    var b: UInt8
    let c: Tracked

    init(_ numbers: [Int], _ tracker: LifetimeTracker) {
      (a, b, c) = (UInt8(numbers[0]), UInt8(numbers[4]), tracker.instance(numbers[5]))
      deep = Deep(Array(numbers[1...3]), tracker)
    }

    var numbers: [Int] { [Int(a)] + deep.numbers + [Int(b), c.payload] }
  }

  struct Tag {
    let raw: Tracked
  }

  struct Sides {
    var left: UInt8
    var right: UInt8

    init(_ numbers: [Int]) { (left, right) = (UInt8(numbers[0]), UInt8(numbers[1])) }

    var numbers: [Int] { [Int(left), Int(right)] }
  }

  /// Its only property has the same bytes, as in `Border`, where that property is a constant.
  struct Frame {
    var pair: (UInt8, UInt8)
  }

  struct Border {
    let sides: Sides
  }

  var flag: Int
  var inner: Inner
  var tag: Tag
  var frame: Frame
  let name: Tag
  let sides: Sides
  var border: Border

  init(_ numbers: [Int], _ tracker: LifetimeTracker) {
    flag = numbers[0]
    inner = Inner(Array(numbers[1...6]), tracker)
    tag = Tag(raw: tracker.instance(numbers[7]))
    frame = Frame(pair: (UInt8(numbers[8]), UInt8(numbers[9])))
    name = Tag(raw: tracker.instance(numbers[10]))
    sides = Sides(Array(numbers[11...12]))
    border = Border(sides: Sides(Array(numbers[13...])))
  }

  var numbers: [Int] {
    [flag] + inner.numbers + [tag.raw.payload, Int(frame.pair.0), Int(frame.pair.1), name.raw.payload] + sides.numbers
      + border.sides.numbers
  }
}

/// A key path into `OverlapTree`, the leaves that it spans, and functions that use it as a literal and as an object.
struct OverlapNode {
  let keyPath: any PartialKeyPath<OverlapTree> & Sendable
  let leaves: Range<Int>
  /// 1 if a node around this one has the same leaves.
  let level: Int
  let isConstant: Bool
  let set: (inout Partial<OverlapTree>, [Int], _ literally: Bool) -> Void
  let get: (Partial<OverlapTree>) -> [Int]?
  let remove: (inout Partial<OverlapTree>) -> [Int]?
  let modify: (inout Partial<OverlapTree>, ([Int]?) -> [Int]?) -> Void

  static let leafCount = 15

  init<Value>(
    _ keyPath: any WritableKeyPath<OverlapTree, Value> & Sendable, _ leaves: Range<Int>,
    make: @escaping ([Int]) -> Value, read: @escaping (Value) -> [Int],
    set: @escaping (inout Partial<OverlapTree>, Value) -> Void, get: @escaping (Partial<OverlapTree>) -> Value?
  ) {
    self.init(
      keyPath, leaves, level: 0, isConstant: false, make: make, read: read, set: set, get: get,
      update: { $0.update(keyPath, to: $1) }, remove: { $0.removeValue(for: keyPath) },
      modify: { partial, change in change(&partial[keyPath]) })
  }

  init<Value>(
    constant keyPath: any KeyPath<OverlapTree, Value> & Sendable, _ leaves: Range<Int>, level: Int = 0,
    make: @escaping ([Int]) -> Value, read: @escaping (Value) -> [Int],
    set: @escaping (inout Partial<OverlapTree>, Value) -> Void, get: @escaping (Partial<OverlapTree>) -> Value?
  ) {
    self.init(
      keyPath, leaves, level: level, isConstant: true, make: make, read: read, set: set, get: get,
      update: { $0.update(keyPath, to: $1) }, remove: { $0.removeValue(for: keyPath) },
      modify: { partial, change in change(&partial[keyPath]) })
  }

  private init<Value>(
    _ keyPath: any KeyPath<OverlapTree, Value> & Sendable, _ leaves: Range<Int>, level: Int, isConstant: Bool,
    make: @escaping ([Int]) -> Value, read: @escaping (Value) -> [Int],
    set: @escaping (inout Partial<OverlapTree>, Value) -> Void, get: @escaping (Partial<OverlapTree>) -> Value?,
    update: @escaping (inout Partial<OverlapTree>, Value) -> Void,
    remove: @escaping (inout Partial<OverlapTree>) -> Value?,
    modify: @escaping (inout Partial<OverlapTree>, (inout Value?) -> Void) -> Void
  ) {
    self.keyPath = keyPath
    self.leaves = leaves
    self.level = level
    self.isConstant = isConstant
    self.set = { partial, numbers, literally in
      if literally { set(&partial, make(numbers)) } else { update(&partial, make(numbers)) }
    }
    self.get = { partial in
      let value = partial[keyPath].map(read)
      expectEqual(get(partial).map(read), value, "\(keyPath) as a literal")
      expectEqual(partial.contains(keyPath), value != nil, "contains \(keyPath)")
      return value
    }
    self.remove = { partial in remove(&partial).map(read) }
    self.modify = { partial, change in modify(&partial) { value in value = change(value.map(read)).map(make) } }
  }

  func numbers(_ random: inout SeededRandom) -> [Int] { leaves.map { _ in random.int(in: 0..<100) } }

  static func all(_ tracker: LifetimeTracker) -> [OverlapNode] {
    typealias Tree = OverlapTree
    func tracked(_ n: [Int]) -> Tree.Tracked { tracker.instance(n[0]) }
    func read(_ tracked: Tree.Tracked) -> [Int] { [tracked.payload] }
    func byte(_ n: [Int]) -> UInt8 { UInt8(n[0]) }
    func read(_ byte: UInt8) -> [Int] { [Int(byte)] }
    func number(_ n: [Int]) -> Int { n[0] }
    func read(_ number: Int) -> [Int] { [number] }
    return [
      OverlapNode(
        \.self, 0..<leafCount, make: { Tree($0, tracker) }, read: \.numbers, set: { $0[\.self] = $1 },
        get: { $0[\.self] }),
      OverlapNode(\.flag, 0..<1, make: number, read: read, set: { $0.flag = $1 }, get: { $0.flag }),
      OverlapNode(
        \.inner, 1..<7, make: { Tree.Inner($0, tracker) }, read: \.numbers, set: { $0.inner = $1 },
        get: { $0.inner }),
      OverlapNode(\.inner.a, 1..<2, make: byte, read: read, set: { $0[\.inner.a] = $1 }, get: { $0[\.inner.a] }),
      OverlapNode(
        \.inner.deep, 2..<5, make: { Tree.Deep($0, tracker) }, read: \.numbers, set: { $0[\.inner.deep] = $1 },
        get: { $0[\.inner.deep] }),
      OverlapNode(
        constant: \.inner.deep.x, 2..<3, make: number, read: read, set: { $0[\.inner.deep.x] = $1 },
        get: { $0[\.inner.deep.x] }),
      OverlapNode(
        \.inner.deep.y, 3..<4, make: tracked, read: read, set: { $0[\.inner.deep.y] = $1 },
        get: { $0[\.inner.deep.y] }),
      OverlapNode(
        constant: \.inner.deep.z, 4..<5, make: byte, read: read, set: { $0[\.inner.deep.z] = $1 },
        get: { $0[\.inner.deep.z] }),
      OverlapNode(\.inner.b, 5..<6, make: byte, read: read, set: { $0[\.inner.b] = $1 }, get: { $0[\.inner.b] }),
      OverlapNode(
        constant: \.inner.c, 6..<7, make: tracked, read: read, set: { $0[\.inner.c] = $1 }, get: { $0[\.inner.c] }),
      OverlapNode(
        \.tag, 7..<8, make: { Tree.Tag(raw: tracker.instance($0[0])) }, read: { read($0.raw) }, set: { $0.tag = $1 },
        get: { $0.tag }),
      OverlapNode(
        constant: \.tag.raw, 7..<8, level: 1, make: tracked, read: read, set: { $0[\.tag.raw] = $1 },
        get: { $0[\.tag.raw] }),
      OverlapNode(
        \.frame, 8..<10, make: { Tree.Frame(pair: (UInt8($0[0]), UInt8($0[1]))) },
        read: { [Int($0.pair.0), Int($0.pair.1)] }, set: { $0.frame = $1 }, get: { $0.frame }),
      OverlapNode(
        \.frame.pair, 8..<10, make: { (UInt8($0[0]), UInt8($0[1])) }, read: { [Int($0.0), Int($0.1)] },
        set: { $0[\.frame.pair] = $1 }, get: { $0[\.frame.pair] }),
      OverlapNode(
        \.frame.pair.0, 8..<9, make: byte, read: read, set: { $0[\.frame.pair.0] = $1 },
        get: { $0[\.frame.pair.0] }),
      OverlapNode(
        \.frame.pair.1, 9..<10, make: byte, read: read, set: { $0[\.frame.pair.1] = $1 },
        get: { $0[\.frame.pair.1] }),
      OverlapNode(
        constant: \.name, 10..<11, make: { Tree.Tag(raw: tracker.instance($0[0])) }, read: { read($0.raw) },
        set: { $0[\.name] = $1 }, get: { $0[\.name] }),
      OverlapNode(
        constant: \.name.raw, 10..<11, level: 1, make: tracked, read: read, set: { $0[\.name.raw] = $1 },
        get: { $0[\.name.raw] }),
      OverlapNode(
        constant: \.sides, 11..<13, make: Tree.Sides.init, read: \.numbers, set: { $0[\.sides] = $1 },
        get: { $0[\.sides] }),
      OverlapNode(
        constant: \.sides.left, 11..<12, make: byte, read: read, set: { $0[\.sides.left] = $1 },
        get: { $0[\.sides.left] }),
      OverlapNode(
        constant: \.sides.right, 12..<13, make: byte, read: read, set: { $0[\.sides.right] = $1 },
        get: { $0[\.sides.right] }),
      OverlapNode(
        \.border, 13..<15, make: { Tree.Border(sides: Tree.Sides($0)) }, read: \.sides.numbers,
        set: { $0.border = $1 }, get: { $0.border }),
      OverlapNode(
        constant: \.border.sides, 13..<15, level: 1, make: Tree.Sides.init, read: \.numbers,
        set: { $0[\.border.sides] = $1 }, get: { $0[\.border.sides] }),
      OverlapNode(
        constant: \.border.sides.left, 13..<14, make: byte, read: read, set: { $0[\.border.sides.left] = $1 },
        get: { $0[\.border.sides.left] }),
    ]
  }
}
