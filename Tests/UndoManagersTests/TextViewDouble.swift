import TestSupport
import UndoHistories
import UndoManagers
import XCTest

/// A text view and the code around it, with a document whose body the view shows.
///
/// The view stores UTF-16, and calls its delegate in each order that text views are known to use.
final class TextViewDouble {
  struct Document: Equatable {
    var title = ""
    var body = ""
  }

  /// A replacement that the view makes by itself, in UTF-16.
  struct Edit {
    let range: Range<Int>
    let units: [UInt16]

    init(_ range: Range<Int>, _ units: [UInt16]) {
      self.range = range
      self.units = units
    }

    init(_ range: Range<Int>, _ text: String) { self.init(range, Array(text.utf16)) }
  }

  /// When `textStorage(_:didProcessEditing:range:changeInLength:)` is called for the edits of an event.
  enum Processing: CaseIterable {
    /// After each edit.
    case each
    /// After all edits, once for each.
    case late
    /// After all edits, once for each, and the last one first.
    case reversed
    /// Once, with a range that encloses all edits, as between `beginEditing` and `endEditing`.
    case enclosing
    /// Once, with a range that encloses the paragraph too, because its attributes were fixed.
    case paragraph
    /// Not at all.
    case never
    /// After `textDidChange`.
    case afterChange
  }

  /// How the text storage reports the replacements that the bridge asks for.
  enum RepairReports: CaseIterable { case none, each, enclosing, paragraph }

  /// The order of the calls in an event.
  struct Order {
    var processing = Processing.enclosing
    /// How often `shouldChangeText` is called for each edit.
    var questions = 1
    /// Whether `textDidChange` is called after each edit, and not once.
    var changesEach = false
    /// Whether `textDidChange` is called at all; if not, the end of the event records.
    var changes = true
    /// Whether a change of attributes is reported before the edits, and after them.
    var attributes = (before: false, after: false)

    /// All orders.
    static var all: [Order] {
      var orders: [Order] = []
      for processing in Processing.allCases {
        for bits in 0..<32 {
          let questions = bits & 1 + (bits & 1 & bits >> 1)
          orders.append(
            Order(
              processing: processing, questions: questions, changesEach: bits & 2 != 0, changes: bits & 4 != 0,
              attributes: (bits & 8 != 0, bits & 16 != 0)))
        }
      }
      return orders
    }
  }

  var history: UndoHistory<Document>
  let clock = ManualClock()
  var bridge: TextViewBridge
  var units: [UInt16]
  var marked: Range<Int>?
  var caret = 0
  var allows: (String, Range<Int>, String) -> Bool = { _, _, _ in true }
  /// Called after each record, when the view shows the document again.
  var didRecord: () -> Void = {}
  /// The reports of repairs, after which nothing is recorded.
  var repairReports = RepairReports.none
  private var hasReports = false
  /// The replacements that the view has made because the bridge told it to.
  private(set) var repairs: [TextViewBridge.Replacement] = []

  init(_ text: String = "") {
    history = UndoHistory(initialValue: Document(body: text))
    units = Array(text.utf16)
    bridge = TextViewBridge(coalescing: .typing(within: .seconds(1), clock: clock))
    caret = units.count
  }

  var text: String { String(decoding: units, as: UTF16.self) }

  // MARK: Events

  /// Makes the edits of one event, and calls the delegate.
  ///
  /// - Parameter marked: The marked text afterwards.
  func event(_ edits: [Edit], marked: Range<Int>? = nil, order: Order = Order()) {
    if order.attributes.before { didProcess(0..<units.count, 0) }
    var reports: [(range: Range<Int>, growth: Int)] = []
    for edit in edits {
      // The bridge may have made the text shorter since the edit before.
      let edit = Edit(edit.range.clamped(to: 0..<units.count), edit.units)
      for _ in 0..<order.questions { _ = mayChange(edit) }
      units.replaceSubrange(edit.range, with: edit.units)
      caret = edit.range.lowerBound + edit.units.count
      let report = (edit.range.lowerBound..<caret, edit.units.count - edit.range.count)
      reports.append(report)
      if order.processing == .each { didProcess(report.0, report.1) }
      if order.changes, order.changesEach, edits.count > 1 { didChange(order) }
    }
    self.marked = marked
    switch order.processing {
    case .late: for report in reports { didProcess(report.range, report.growth) }
    case .reversed: for report in reports.reversed() { didProcess(report.range, report.growth) }
    case .enclosing: reportEnclosing(reports, around: 0)
    case .paragraph: reportEnclosing(reports, around: 20)
    case .each, .never, .afterChange: break
    }
    if order.attributes.after { didProcess(0..<units.count, 0) }
    if order.changes { didChange(order) }
    if order.processing == .afterChange { for report in reports { didProcess(report.range, report.growth) } }
    if order.processing == .never { record() }
    endEvent()
  }

  private func reportEnclosing(_ reports: [(range: Range<Int>, growth: Int)], around margin: Int) {
    guard var (range, growth) = reports.first else { return }
    for report in reports.dropFirst() {
      let end = max(range.upperBound, report.range.upperBound - report.growth) + report.growth
      range = min(range.lowerBound, report.range.lowerBound)..<end
      growth += report.growth
    }
    // The margin must not exceed the text, before or after the edit.
    let after = max(min(margin, units.count - range.upperBound), 0)
    didProcess(max(range.lowerBound - margin, 0)..<range.upperBound + after, growth)
  }

  func mayChange(_ edit: Edit) -> Bool {
    bridge.isComposing || allows(history.body, edit.range, String(decoding: edit.units, as: UTF16.self))
  }

  /// Types each character by itself, where the caret is.
  func type(_ text: String, order: Order = Order()) {
    for character in text { event([Edit(caret..<caret, String(character))], order: order) }
  }

  /// Lets an input method replace its marked text, or begin with one at the caret.
  func compose(_ text: String, order: Order = Order()) {
    let range = marked ?? caret..<caret
    let end = range.lowerBound + text.utf16.count
    event([Edit(range, text)], marked: text.isEmpty ? nil : range.lowerBound..<end, order: order)
  }

  /// Lets an input method commit its marked text, replacing it if a text is given.
  func commit(_ text: String? = nil, order: Order = Order()) {
    let range = marked ?? caret..<caret
    event(text.map { [Edit(range, $0)] } ?? [], order: order)
  }

  // MARK: The delegate

  private func didProcess(_ range: Range<Int>, _ growth: Int) {
    bridge.didEdit(range, changeInLength: growth)
    hasReports = true
  }

  private func didChange(_ order: Order) {
    if order.processing == .never || order.processing == .afterChange { record() } else { endEvent() }
  }

  /// Records what was reported, or that a composition may have ended.
  func endEvent() {
    if hasReports || bridge.isComposing { record() }
  }

  func record() {
    hasReports = false
    let update = bridge.record(units, marked: marked, in: &history.edit.body, allows: allows)
    show(update)
    didRecord()
  }

  func show(_ update: TextViewBridge.Update) {
    guard !update.replacements.isEmpty else { return }
    marked = nil
    for change in update.replacements { units.replaceSubrange(change.range, with: change.text.utf16) }
    repairs += update.replacements
    reportRepairs(update.replacements)
    if let selection = update.selection { caret = selection.lowerBound }
    caret = min(caret, units.count)
  }

  private func reportRepairs(_ repairs: [TextViewBridge.Replacement]) {
    let reports = repairs.map { change in
      let count = change.text.utf16.count
      return (range: change.range.lowerBound..<change.range.lowerBound + count, growth: count - change.range.count)
    }
    let hadReports = hasReports
    switch repairReports {
    case .none: break
    case .each: for report in reports { didProcess(report.range, report.growth) }
    case .enclosing: reportEnclosing(reports, around: 0)
    case .paragraph: reportEnclosing(reports, around: 20)
    }
    hasReports = hadReports
  }

  @discardableResult
  func undo() -> Bool {
    marked = nil
    endEvent()
    guard let update = bridge.undo(&history, text: \.body) else { return false }
    show(update)
    return true
  }

  @discardableResult
  func redo() -> Bool {
    guard let update = bridge.redo(&history, text: \.body) else { return false }
    show(update)
    return true
  }

  /// The texts to which the undos of all steps lead, latest first.
  func undoAll() -> [String] {
    var texts: [String] = []
    while undo() { texts.append(text) }
    return texts
  }

  /// Whether view and document have the same text, unit by unit.
  var isEqual: Bool { units == Array(history.body.utf16) }

  @discardableResult
  func expectSame(
    _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
  ) -> Bool {
    expectEqual(units, Array(history.body.utf16), message(), file: file, line: line)
  }
}
