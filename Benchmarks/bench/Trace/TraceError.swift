/// What is wrong with a trace, and where.
struct TraceError: Error, Equatable, CustomStringConvertible {
  /// Counted from 0, as in `txns` and in `patches`.
  var transaction: Int?
  var patch: Int?
  var problem: String

  var description: String {
    switch (transaction, patch) {
    case (let transaction?, let patch?): "transaction \(transaction), patch \(patch) \(problem)"
    case (let transaction?, nil): "transaction \(transaction) \(problem)"
    case (nil, _): problem
    }
  }
}

extension TraceError {
  /// Says where in the trace decoding failed.
  init(_ error: DecodingError) {
    let context: DecodingError.Context
    let problem: String
    switch error {
    case .keyNotFound(let key, let found):
      (context, problem) = (found, "has no \(key.stringValue)")
    case .typeMismatch(let type, let found):
      (context, problem) = (found, "has something else where \(Self.name(of: type)) belongs")
    case .valueNotFound(let type, let found):
      (context, problem) = (found, "ends where \(Self.name(of: type)) belongs")
    case .dataCorrupted(let found):
      (context, problem) = (
        found, found.codingPath.isEmpty ? "it is not JSON" : "is not right: \(found.debugDescription)"
      )
    @unknown default:
      (context, problem) = (DecodingError.Context(codingPath: [], debugDescription: ""), "\(error)")
    }
    // txns / number / patches / number / element
    let path = context.codingPath
    let isInTransaction = path.count >= 2 && path[0].stringValue == "txns"
    let isInPatch = isInTransaction && path.count >= 4 && path[2].stringValue == "patches"
    self.init(
      transaction: isInTransaction ? path[1].intValue : nil,
      patch: isInPatch ? path[3].intValue : nil,
      problem: isInTransaction || path.isEmpty ? problem : "\(path[0].stringValue) \(problem)")
    if path.isEmpty, case .keyNotFound(let key, _) = error { self.problem = "it has no \(key.stringValue)" }
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Int.Type, is Double.Type: "a whole number"
    case is [Any].Type: "an array"
    default: "an object or an array"
    }
  }
}
