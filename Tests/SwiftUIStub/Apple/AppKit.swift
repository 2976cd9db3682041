// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stub of the parts of AppKit that `HistoryTextViewDelegate` uses, to compile and run it on other systems.
//
// Signatures and isolation follow Apple's documentation, but code that compiles here may not compile under Xcode. The
// view inserts and marks text, and calls its delegates in the order in which AppKit is said to call them.

@_exported public import Foundation

public struct NSTextStorageEditActions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let editedAttributes = NSTextStorageEditActions(rawValue: 1)
  public static let editedCharacters = NSTextStorageEditActions(rawValue: 2)
}

public protocol NSTextStorageDelegate: AnyObject {
  func textStorage(
    _ textStorage: NSTextStorage, didProcessEditing editedMask: NSTextStorageEditActions, range editedRange: NSRange,
    changeInLength delta: Int)
}

open class NSTextStorage: NSObject {
  public weak var delegate: (any NSTextStorageDelegate)?
  public let mutableString = NSMutableString()
  /// The number of replacements so far.
  public private(set) var replacementCount = 0
  private var depth = 0
  private var edited: (range: Range<Int>, growth: Int)?

  open func beginEditing() { depth += 1 }

  open func endEditing() {
    depth -= 1
    processEditing()
  }

  open func replaceCharacters(in range: NSRange, with text: String) {
    replace(range.location..<range.location + range.length, with: Array(text.utf16))
  }

  public func replace(_ range: Range<Int>, with units: [UInt16]) {
    mutableString.units.replaceSubrange(range, with: units)
    replacementCount += 1
    let growth = units.count - range.count
    let old = edited ?? (range, 0)
    let end = max(old.range.upperBound, range.upperBound) + growth
    edited = (min(old.range.lowerBound, range.lowerBound)..<end, old.growth + growth)
    processEditing()
  }

  public func fixAttributes() {
    delegate?.textStorage(
      self, didProcessEditing: .editedAttributes, range: NSRange(0..<mutableString.length), changeInLength: 0)
  }

  private func processEditing() {
    guard depth == 0, let (range, growth) = edited else { return }
    edited = nil
    delegate?.textStorage(
      self, didProcessEditing: [.editedCharacters, .editedAttributes], range: NSRange(range), changeInLength: growth)
  }
}

@MainActor
public protocol NSTextDelegate: AnyObject {
  func textDidChange(_ notification: Notification)
}

@MainActor
public protocol NSTextViewDelegate: NSTextDelegate {
  func textView(
    _ textView: NSTextView, shouldChangeTextInRanges affectedRanges: [NSValue], replacementStrings: [String]?
  ) -> Bool
  func undoManager(for view: NSTextView) -> UndoManager?
}

@MainActor
open class NSTextInputContext: NSObject {
  public private(set) var discardCount = 0
  open func discardMarkedText() { discardCount += 1 }
}

@MainActor
open class NSTextView: NSObject {
  public weak var delegate: (any NSTextViewDelegate)?
  open var textStorage: NSTextStorage? { storage }
  private let storage = NSTextStorage()
  open var allowsUndo = true
  open var inputContext: NSTextInputContext? { input }
  private let input = NSTextInputContext()
  open var undoManager: UndoManager? { delegate?.undoManager(for: self) }
  private var marked: Range<Int>?
  public private(set) var selection = NSRange(0..<0)

  public var string: String { String(decoding: storage.mutableString.units, as: UTF16.self) }
  open func hasMarkedText() -> Bool { marked != nil }
  open func markedRange() -> NSRange { marked.map { NSRange($0) } ?? NSRange(location: NSNotFound, length: 0) }
  open func setSelectedRange(_ range: NSRange) { selection = range }
  open func scrollRangeToVisible(_ range: NSRange) {}

  open func unmarkText() {
    marked = nil
    didChangeText()
  }

  open func insertText(_ text: String) {
    let range = marked ?? selection.location..<selection.location + selection.length
    guard shouldChange(range, text) else { return }
    marked = nil
    change(range, text)
    didChangeText()
  }

  open func setMarkedText(_ text: String) {
    let range = marked ?? selection.location..<selection.location + selection.length
    guard shouldChange(range, text) else { return }
    change(range, text)
    marked = text.isEmpty ? nil : range.lowerBound..<range.lowerBound + text.utf16.count
    didChangeText()
  }

  private func shouldChange(_ range: Range<Int>, _ text: String) -> Bool {
    delegate?.textView(
      self, shouldChangeTextInRanges: [NSValue(range: NSRange(range))], replacementStrings: [text]) ?? true
  }

  private func change(_ range: Range<Int>, _ text: String) {
    storage.replaceCharacters(in: NSRange(range), with: text)
    let end = range.lowerBound + text.utf16.count
    selection = NSRange(end..<end)
  }

  private func didChangeText() { delegate?.textDidChange(Notification(name: Notification.Name("NSTextDidChange"))) }
}
