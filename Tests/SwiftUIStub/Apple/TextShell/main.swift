// Runs a HistoryTextViewDelegate on the stub of AppKit.
import AppKit
import UndoHistories
import UndoManagers

struct Note { var title = "", body = "" }

@MainActor
final class Model {
  var history = UndoHistory(initialValue: Note(body: "one")) { didSet { undo.didEdit() } }
  private(set) lazy var undo = UndoDriver(self, \.history)
}

let model = Model()
let view = NSTextView()
let manager = HistoryUndoManager(model.undo)
let delegate = HistoryTextViewDelegate(view, undoManager: manager) { [unowned model] in
  model.history.body
} editing: { [unowned model] edit in
  edit(&model.history.edit.body)
}
let storage = view.textStorage!
precondition(view.string == "one" && !view.allowsUndo && view.undoManager === manager && !manager.canUndo)

// Typing is one step, and a change of attributes none.
view.setSelectedRange(NSRange(3..<3))
for key in ["!", "?"] {
  view.insertText(key)
  storage.fixAttributes()
}
precondition(model.history.body == "one!?" && manager.undoCount == 1)
manager.undo()
precondition(view.string == "one" && view.selection == NSRange(3..<3) && manager.canRedo)
manager.redo()
precondition(view.string == "one!?" && view.selection == NSRange(5..<5))

// Code that edits the text storage doesn't tell the view. A checkpoint records the edits, and so does the next turn.
storage.beginEditing()
storage.replace(0..<3, with: Array("1".utf16))
storage.replace(3..<3, with: Array("!".utf16))
storage.endEditing()
precondition(model.history.body == "one!?" && manager.canUndo)
_ = manager.canRedo
precondition(model.history.body == "1!?!" && manager.undoCount == 2)
while manager.groupingLevel > 0 { await Task.yield() }
storage.replace(0..<1, with: Array("2".utf16))
while model.history.body != "2!?!" { await Task.yield() }
manager.undo()
manager.undo()
precondition(view.string == "one!?")

// A composition is one step. An undo during it commits it first.
view.setSelectedRange(NSRange(0..<3))
for text in ["n", "ni", "nih"] { view.setMarkedText(text) }
precondition(model.history.body == "nih!?" && manager.undoCount == 2)
manager.undo()
precondition(view.string == "one!?" && model.history.body == "one!?" && !view.hasMarkedText())
precondition(view.inputContext?.discardCount == 0, "the view has committed it")
manager.redo()
precondition(view.string == "nih!?")
view.setSelectedRange(NSRange(0..<0))
for text in ["ㅎ", "하", "한"] { view.setMarkedText(text) }
view.insertText("한")
precondition(model.history.body == "한nih!?" && manager.undoCount == 3)
manager.undo()

// Edits can be refused, before the view makes them and after.
delegate.allows = { document, range, text in document.utf16.count - range.count + text.utf16.count <= 6 }
view.setSelectedRange(NSRange(5..<5))
let replacementCount = storage.replacementCount
view.insertText("too long")
precondition(storage.replacementCount == replacementCount && view.string == "nih!?" && manager.canRedo)
storage.replace(5..<5, with: Array("too long".utf16))
delegate.flush()
precondition(view.string == "nih!?" && model.history.body == "nih!?" && manager.canRedo)
for text in ["k", "か", "かn", "かんじ"] { view.setMarkedText(text) }
view.unmarkText()
precondition(view.string == "nih!?" && manager.undoCount == 2)
for text in ["k", "か", "かn", "かんじ"] { view.setMarkedText(text) }
view.insertText("字")
precondition(view.string == "nih!?字" && model.history.body == "nih!?字")

// Half of a surrogate pair is deleted with the other half.
delegate.allows = { _, _, _ in true }
view.insertText("😀")
storage.replace(7..<8, with: [])
delegate.flush()
precondition(view.string == "nih!?字" && model.history.body == "nih!?字")

// Other changes of the document are shown when the delegate is told.
model.history.transaction("Clear") { $0.body.set("") }
view.setSelectedRange(NSRange(2..<2))
delegate.show()
precondition(view.string == "" && manager.undoActionName == "Clear")
manager.undo()
precondition(view.string == "nih!?字")

// Marked text that isn't there any more is discarded.
for text in ["k", "か"] { view.setMarkedText(text) }
model.history.transaction("Clear") { $0.body.set("") }
delegate.show()
precondition(view.string == "" && !view.hasMarkedText() && view.inputContext?.discardCount == 1)
