/// Where the elements of an array are, as a number to compare: it stays the same as long as they are changed in place.
public func storage<Element>(of elements: [Element]) -> Int {
  unsafe elements.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
}
