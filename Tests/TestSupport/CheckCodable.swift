import Foundation

/// Checks that `value` survives being encoded as JSON and decoded again.
///
/// - Returns: The decoded value.
@discardableResult
public func checkCodable<Value: Codable & Equatable>(
  _ value: Value, file: StaticString = #filePath, line: UInt = #line
) throws -> Value {
  let data = try JSONEncoder().encode(value)
  let decoded = try JSONDecoder().decode(Value.self, from: data)
  expectEqual(decoded, value, "after encoding and decoding", file: file, line: line)
  return decoded
}

/// Checks that decoding `json` throws a `DecodingError` whose text contains `fragment`.
public func expectDecodingError<Value: Decodable>(
  _ type: Value.Type, from json: String, mentioning fragment: String = "",
  file: StaticString = #filePath, line: UInt = #line
) {
  do {
    let value = try JSONDecoder().decode(type, from: Data(json.utf8))
    fail("\(json) was decoded as \(value)", file: file, line: line)
  } catch let error as DecodingError {
    let text = String(describing: error)
    expect(fragment.isEmpty || text.contains(fragment), "\(text) does not mention \(fragment)", file: file, line: line)
  } catch {
    fail("\(error) is not a DecodingError", file: file, line: line)
  }
}
