/// A model of the documented rules for structs and their members, which treats each leaf by itself.
struct OverlapOracle {
  /// A property that was set or removed: the leaf itself, or a property around it.
  private struct Layer {
    let keyPath: AnyKeyPath
    let leaves: Range<Int>
    let level: Int
    let isSet: Bool
    let isConstant: Bool

    init(_ node: OverlapNode, isSet: Bool) {
      keyPath = node.keyPath
      leaves = node.leaves
      level = node.level
      self.isSet = isSet
      isConstant = node.isConstant
    }

    private init(setting layer: Layer) {
      keyPath = layer.keyPath
      leaves = layer.leaves
      level = layer.level
      isSet = true
      isConstant = layer.isConstant
    }

    /// The same property, as set.
    var set: Layer { Layer(setting: self) }
  }

  private struct Leaf {
    var number = 0
    /// The properties that were set or removed around this leaf, outermost first, without those that a later one
    /// replaced.
    var layers: [Layer] = []

    var isPresent: Bool { layers.last?.isSet ?? false }

    /// A value that is set through a read-only key path always has a layer of its own.
    mutating func set(_ layer: Layer, isConstant: Bool) {
      layers.removeAll { layer.leaves.contains($0.leaves) }
      if isConstant || !isPresent { layers.append(layer) }
    }

    mutating func remove(_ layer: Layer) {
      layers.removeAll { layer.leaves.contains($0.leaves) }
      if isPresent { layers.append(layer) }
    }

    /// Whether a value of the node is complete at this leaf.
    func has(_ node: OverlapNode) -> Bool {
      guard let last = layers.last, last.isSet, last.leaves.contains(node.leaves) else { return false }
      return !last.isConstant || last.leaves != node.leaves || last.level <= node.level
    }

    mutating func merge(_ other: Leaf) {
      if other.isPresent { number = other.number }
      var before = layers
      for layer in other.layers {
        if layer.isSet { set(layer, isConstant: layer.isConstant) }
        guard !layer.isSet else { continue }
        // A part that `other` has removed stays as it was before the struct around it was set.
        remove(layer)
        let around = before.prefix { $0.leaves.contains(layer.leaves) }
        if let own = around.last, own.isSet {
          let isOwnConstant = own.leaves == layer.leaves && own.isConstant
          layers.removeAll { layer.leaves.contains($0.leaves) }
          if isOwnConstant { layers.append(own) } else if layer.isConstant { layers.append(layer.set) }
        }
        layers += before[around.count...]
        before = layers
      }
    }
  }

  private var leaves = [Leaf](repeating: Leaf(), count: OverlapNode.leafCount)

  /// The model of an empty partial.
  init() {}

  /// The model of a partial in which only `node` is set.
  init(_ node: OverlapNode, _ numbers: [Int]) { set(node, numbers) }

  var count: Int { Set(leaves.compactMap { $0.layers.first?.leaves }).count }

  func get(_ node: OverlapNode) -> [Int]? {
    leaves[node.leaves].allSatisfy { $0.has(node) } ? leaves[node.leaves].map(\.number) : nil
  }

  mutating func set(_ node: OverlapNode, _ numbers: [Int]) {
    for (leaf, number) in zip(node.leaves, numbers) {
      leaves[leaf].number = number
      leaves[leaf].set(Layer(node, isSet: true), isConstant: node.isConstant)
    }
  }

  mutating func remove(_ node: OverlapNode) {
    for leaf in node.leaves { leaves[leaf].remove(Layer(node, isSet: false)) }
  }

  mutating func merge(_ other: OverlapOracle) {
    for leaf in leaves.indices { leaves[leaf].merge(other.leaves[leaf]) }
  }

  /// Whether each leaf is applied.
  ///
  /// A value is not applied if it was set through a read-only key path, or if a constant in it was set or removed.
  var appliedLeaves: [Bool] {
    let refused = leaves.filter { $0.layers.contains(where: \.isConstant) }.map { $0.layers[0].leaves }
    return leaves.indices.map { leaf in leaves[leaf].isPresent && !refused.contains { $0.contains(leaf) } }
  }

  var isApplied: Bool { !leaves.contains { $0.layers.contains(where: \.isConstant) } }

  func applied(to root: [Int]) -> [Int] {
    zip(zip(leaves, appliedLeaves), root).map { leaf, old in leaf.1 ? leaf.0.number : old }
  }
}
