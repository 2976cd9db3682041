// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stub of the parts of Apple's Foundation that `HistoryTextViewDelegate` uses.

public struct NSRange: Equatable {
  public var location: Int
  public var length: Int

  public init(location: Int, length: Int) {
    self.location = location
    self.length = length
  }

  public init(_ range: Range<Int>) { self.init(location: range.lowerBound, length: range.count) }
}

public let NSNotFound = Int.max

extension Range where Bound == Int {
  public init?(_ range: NSRange) {
    if range.location == NSNotFound { return nil }
    self = range.location..<range.location + range.length
  }
}

open class NSValue: NSObject {
  public let rangeValue: NSRange
  public init(range: NSRange) { rangeValue = range }
}

open class NSString: NSObject {
  public var units: [UInt16] = []
  open var length: Int { units.count }
  open func character(at index: Int) -> UInt16 { units[index] }
}

open class NSMutableString: NSString {}

extension Notification.Name {
  public init(_ name: String) { self.init(rawValue: name) }
}

extension Notification {
  public init(name: Notification.Name) {}
}
