/// Checks that `collection` holds exactly `expected`, using every member of `Collection` that reads it.
///
/// - Complexity: O(n³) for n expected elements. Use it for small collections.
public func checkCollection<C: Collection>(
  _ collection: C, expected: [C.Element], file: StaticString = #filePath, line: UInt = #line
) where C.Element: Equatable {
  CollectionChecker(collection: collection, expected: expected, file: file, line: line).run()
}

/// Checks that `collection` holds exactly `expected`, using every member of `BidirectionalCollection` that reads it.
///
/// - Complexity: O(n³) for n expected elements. Use it for small collections.
public func checkBidirectionalCollection<C: BidirectionalCollection>(
  _ collection: C, expected: [C.Element], file: StaticString = #filePath, line: UInt = #line
) where C.Element: Equatable {
  CollectionChecker(collection: collection, expected: expected, file: file, line: line).runBothWays()
}

private struct CollectionChecker<C: Collection> where C.Element: Equatable {
  let collection: C
  let expected: [C.Element]
  let file: StaticString
  let line: UInt

  @discardableResult
  func same<Value: Equatable>(_ actual: Value, _ wanted: Value, _ what: @autoclosure () -> String) -> Bool {
    expectEqual(actual, wanted, what(), file: file, line: line)
  }

  /// Runs the checks in stages, and stops after the first stage that fails, because the later ones could trap.
  ///
  /// - Returns: Whether all stages passed.
  @discardableResult
  func run() -> Bool {
    var indices: [C.Index] = []
    return stage { checkIteration() }
      && stage { indices = walk() }
      && stage { checkIndices(indices) }
      && stage { checkSlices(indices) }
  }

  func stage(_ body: () -> Void) -> Bool {
    let failures = capturingFailures(body)
    for failure in failures { forward(failure) }
    return failures.isEmpty
  }

  func checkIteration() {
    var iterator = collection.makeIterator()
    var seen: [C.Element] = []
    while let element = iterator.next() {
      seen.append(element)
      guard seen.count <= expected.count else { break }
    }
    same(seen, expected, "iteration")
    expect(iterator.next() == nil, "the iterator goes on after its end", file: file, line: line)
    same(collection.count, expected.count, "count")
    same(collection.isEmpty, expected.isEmpty, "isEmpty")
    same(collection.first, expected.first, "first")
    expect(collection.underestimatedCount <= expected.count, "underestimatedCount", file: file, line: line)
    if let contiguous = collection.withContiguousStorageIfAvailable({ unsafe Array($0) }) {
      same(contiguous, expected, "withContiguousStorageIfAvailable")
    }
  }

  /// Returns all indices, found by `index(after:)`, with the end index last.
  func walk() -> [C.Index] {
    var indices = [collection.startIndex]
    var index = collection.startIndex
    while index != collection.endIndex, indices.count <= expected.count {
      let after = collection.index(after: index)
      collection.formIndex(after: &index)
      expect(index == after, "formIndex(after:) differs from index(after:)", file: file, line: line)
      indices.append(index)
    }
    same(indices.count, expected.count + 1, "the number of indices up to the end")
    same(collection.indices.count, expected.count, "indices.count")
    expect(collection.indices.elementsEqual(indices.dropLast()), "indices differ from the walk", file: file, line: line)
    return indices
  }

  func checkIndices(_ indices: [C.Index]) {
    same(Array(collection), expected, "Array(collection)")
    for (i, index) in indices.enumerated() {
      if i < expected.count { same(collection[index], expected[i], "the element at offset \(i)") }
      for (j, other) in indices.enumerated() {
        expect((index < other) == (i < j), "the order of offsets \(i) and \(j)", file: file, line: line)
        expect((index == other) == (i == j), "the equality of offsets \(i) and \(j)", file: file, line: line)
        guard i <= j else { continue }
        same(collection.distance(from: index, to: other), j - i, "the distance from \(i) to \(j)")
        same(offset(of: collection.index(index, offsetBy: j - i), in: indices), j, "index(\(i), offsetBy: \(j - i))")
        checkLimits(from: i, to: j, indices)
      }
    }
  }

  func checkLimits(from i: Int, to j: Int, _ indices: [C.Index]) {
    for (k, limit) in indices.enumerated() {
      let reached = collection.index(indices[i], offsetBy: j - i, limitedBy: limit)
      let landed = reached.map { offset(of: $0, in: indices) }
      // A limit in the other direction has no effect.
      same(landed, k < i || j <= k ? j : nil, "index(\(i), offsetBy: \(j - i), limitedBy: \(k))")
    }
  }

  func checkSlices(_ indices: [C.Index]) {
    for i in indices.indices {
      for j in i..<indices.count {
        let slice = collection[indices[i]..<indices[j]]
        let isWhole = same(slice.count, j - i, "the count of slice \(i)..<\(j)")
        guard isWhole, same(Array(slice), Array(expected[i..<j]), "the slice \(i)..<\(j)"), j > i else { continue }
        same(Array(slice.dropFirst()), Array(expected[i..<j].dropFirst()), "a slice of slice \(i)..<\(j)")
      }
    }
  }

  func offset(of index: C.Index, in indices: [C.Index]) -> Int {
    indices.firstIndex(of: index) ?? -1
  }
}

extension CollectionChecker where C: BidirectionalCollection {
  func runBothWays() {
    guard run(), stage({ walkBackwards() }) else { return }
    same(collection.last, expected.last, "last")
    same(Array(collection.reversed()), expected.reversed(), "reversed()")
  }

  func walkBackwards() {
    var index = collection.endIndex
    for i in expected.indices.reversed() {
      let step = i - expected.count
      let before = collection.index(before: index)
      collection.formIndex(before: &index)
      expect(index == before, "formIndex(before:) differs from index(before:)", file: file, line: line)
      same(collection[index], expected[i], "the element at offset \(i), backwards")
      same(collection.distance(from: collection.endIndex, to: index), step, "the distance back to \(i)")
      let jumped = collection.index(collection.endIndex, offsetBy: step)
      expect(jumped == index, "index(endIndex, offsetBy: \(step))", file: file, line: line)
      let limited = collection.index(collection.endIndex, offsetBy: step, limitedBy: index)
      expect(limited == index, "index(endIndex, offsetBy: \(step), limitedBy: itself)", file: file, line: line)
      let blocked = collection.index(collection.endIndex, offsetBy: step, limitedBy: collection.endIndex)
      expect(blocked == nil, "index(endIndex, offsetBy: \(step), limitedBy: endIndex)", file: file, line: line)
    }
    expect(index == collection.startIndex, "the walk backwards ends before startIndex", file: file, line: line)
  }
}
