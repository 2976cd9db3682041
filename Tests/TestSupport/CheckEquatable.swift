/// Checks that `==` is an equivalence and agrees with `equivalenceClasses`: equal inside a class, unequal across.
public func checkEquatable<Value: Equatable>(
  equivalenceClasses: [[Value]], file: StaticString = #filePath, line: UInt = #line
) {
  forEachPair(in: equivalenceClasses) { left, right, isSame in
    expect((left == right) == isSame, "\(left) == \(right) is \(!isSame)", file: file, line: line)
    expect((left != right) == !isSame, "\(left) != \(right) is \(isSame)", file: file, line: line)
  }
}

/// Checks `==` and that hashing agrees with it: equal values hash alike, unequal ones differ for some seed.
public func checkHashable<Value: Hashable>(
  equivalenceClasses: [[Value]], file: StaticString = #filePath, line: UInt = #line
) {
  checkEquatable(equivalenceClasses: equivalenceClasses, file: file, line: line)
  forEachPair(in: equivalenceClasses) { left, right, isSame in
    if isSame {
      expect(left.hashValue == right.hashValue, "\(left) and \(right) hash differently", file: file, line: line)
    }
    // Hashes may collide by chance for one seed. If they collide for ten, the hash leaves something out.
    let agreeing = (0..<10).filter { saltedHash(of: left, salt: $0) == saltedHash(of: right, salt: $0) }.count
    expect(
      isSame ? agreeing == 10 : agreeing < 10,
      "\(left) and \(right) hash alike for \(agreeing) of 10 seeds", file: file, line: line)
  }
}

private func saltedHash(of value: some Hashable, salt: Int) -> Int {
  var hasher = Hasher()
  hasher.combine(salt)
  hasher.combine(value)
  return hasher.finalize()
}

private func forEachPair<Value>(in classes: [[Value]], _ body: (Value, Value, _ isSame: Bool) -> Void) {
  for (leftClass, leftValues) in classes.enumerated() {
    for (rightClass, rightValues) in classes.enumerated() {
      for left in leftValues {
        for right in rightValues { body(left, right, leftClass == rightClass) }
      }
    }
  }
}
