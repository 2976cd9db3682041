/// The address of an array's elements, as a number.
///
/// It stays the same as long as the array is changed in place.
public func storage<Element>(of elements: [Element]) -> Int {
  unsafe elements.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
}
