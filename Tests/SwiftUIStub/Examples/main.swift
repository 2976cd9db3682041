// Runs the example views on the stub: a draft in a view, the fields of a form, those of a document with undo, and a
// form that is saved while the user types.
import Dirtyables
import Drafts
import Partials
import SwiftUI
import UndoHistories

final class Model {
  var filter = Filter()
}

final class Store {
  struct Value: Equatable {
    var title = "", note = "", tags = ["a"]

    static func == (left: Value, right: Value) -> Bool { left.title == right.title }
  }

  var value = Value(), values = [Value()]
}

let model = Model()
let source = Binding(get: { @MainActor in model.filter }, set: { @MainActor in model.filter = $0 })
let draft = DraftBinding(source)

// Edits show at once, and the source doesn't change.
draft.text.wrappedValue = "shoes"
draft.binding.price.to.wrappedValue = 50
precondition(draft.wrappedValue == Filter(text: "shoes", price: Filter.Price(from: 0, to: 50)))
precondition(model.filter == Filter())
precondition(draft.isDirty && draft.draft.isDirty(\.text) && !draft.draft.sourceChanged)

// A copy of the view's struct has the same edits.
precondition(draft.projectedValue.wrappedValue.text == "shoes")

// A draft within the draft commits into the outer draft, but not into the source.
let price = DraftBinding(draft.price)
price.from.wrappedValue = 10
precondition(draft.wrappedValue.price.from == 0)
try price.commit()
precondition(draft.wrappedValue.price == Filter.Price(from: 10, to: 50))
precondition(model.filter == Filter())

// After a commit, the draft follows its source.
try draft.commit()
precondition(model.filter == Filter(text: "shoes", price: Filter.Price(from: 10, to: 50)))
precondition(!draft.isDirty)
model.filter.text = "hats"
precondition(draft.wrappedValue.text == "hats" && !draft.draft.sourceChanged)

// A draft that was set back has no edits, and follows its source as well.
draft.text.wrappedValue = "gloves"
draft.text.wrappedValue = "hats"
precondition(!draft.isDirty)
model.filter.text = "shoes"
precondition(draft.wrappedValue.text == "shoes")

// An edit of a member that `==` ignores shows at once, makes the draft dirty, and is written.
let store = Store()
let value = DraftBinding(Binding(get: { @MainActor in store.value }, set: { @MainActor in store.value = $0 }))
value.note.wrappedValue = "typed"
precondition(value.note.wrappedValue == "typed" && value.isDirty)
try value.commit(.merge(.init(\.title, \.note)))
precondition(store.value.note == "typed")

// The same edit in an element of a collection shows at once, too.
let list = DraftBinding(Binding(get: { @MainActor in store.values }, set: { @MainActor in store.values = $0 }))
list[0].note.wrappedValue = "typed"
precondition(list.wrappedValue[0].note == "typed")
list.rollback()

// A draft that was set back follows its source even if the value has different storage.
value.tags.wrappedValue.append("b")
value.tags.wrappedValue = ["a"].map(\.self)
precondition(!value.draft.isTouched)
store.value.tags = ["c"]
precondition(value.tags.wrappedValue == ["c"])

// If the source changes while there are edits, the commit is refused, and succeeds after the conflict was resolved.
draft.text.wrappedValue = "mine"
draft.price.to.wrappedValue = 70
model.filter.text = "theirs"
precondition(draft.draft.sourceChanged && draft.draft.base.text == "shoes")
precondition(draft.draft.sourceChanged(in: \.text) && !draft.draft.sourceChanged(in: \.price))
precondition(draft.draft.edits.changedKeyPaths(among: \.text, \.price) == [\.text, \.price])
precondition(draft.draft.edits.change(for: \.text)?.new == "mine")
do {
  try draft.commit(.merge(.init(\.text, \.price)))
  preconditionFailure("a conflict is refused")
} catch {
  precondition(error.keyPaths == [\.text])
}
precondition(model.filter.text == "theirs" && draft.wrappedValue.text == "mine")
precondition(draft.rebase(merging: .init(\.text, \.price)).keyPaths == [\.text])
draft.rollback(\.text)
try draft.commit()
precondition(model.filter == Filter(text: "theirs", price: Filter.Price(from: 10, to: 70)))

// A rollback leaves the source as it is.
draft.text.wrappedValue = "mine"
draft.rollback()
precondition(draft.wrappedValue == model.filter && model.filter.text == "theirs")

// Calls that change nothing don't draw the view again.
stateWrites = 0
try draft.commit()
draft.rollback()
draft.rollback(\.text)
precondition(draft.rebase(merging: .init(\.text, \.price)).isEmpty)
draft.wrappedValue = model.filter
precondition(stateWrites == 0)
draft.text.wrappedValue = "mine"
precondition(draft.rebase(merging: .init(\.text, \.price)).isEmpty)
draft.rollback(\.price)
precondition(stateWrites == 1, "the edit alone")
draft.rollback()
precondition(stateWrites == 2 && !draft.isDirty)

// The wrapper of the blog post takes any type: edits don't change the source, and a commit overwrites it.
struct Search { var text = "", pages = [1] }
var stored = Search()
let search = BindingWrapper(value: Binding(get: { @MainActor in stored }, set: { @MainActor in stored = $0 }))
search.$value.text.wrappedValue = "shoes"
search.value.pages.append(2)
precondition(search.value.text == "shoes" && stored.text.isEmpty)
stored.text = "theirs"
search.commit()
precondition(stored.text == "shoes" && stored.pages == [1, 2])
stored.text = "hats"
precondition(search.value.text == "hats")

// An edit that is made while the source is written is kept.
@MainActor
final class Owner {
  var stored = 0
  var draft: DraftBinding<Int>?

  init() {
    draft = DraftBinding(
      Binding(
        get: { @MainActor in self.stored },
        set: { @MainActor in
          self.stored = $0
          self.draft?.wrappedValue += 1
        }))
  }
}

let owner = Owner()
owner.draft?.wrappedValue = 5
try owner.draft?.commit()
precondition(owner.stored == 5 && owner.draft?.wrappedValue == 6 && owner.draft?.draft.base == 5)

// A draft by reference has a binding as its source.
let editor = FilterEditor(filter: source)
editor.filter.text = "boots"
precondition(model.filter.text == "theirs" && editor.filter.draft.isTouched)
precondition(editor.apply() && model.filter.text == "boots")
editor.filter.text = "mine"
model.filter.text = "theirs"
precondition(!editor.apply() && model.filter.text == "theirs")
editor.filter.rollback()
precondition(editor.filter.text == "theirs")

// A draft of an identifiable value has the same identity.
struct Row: Identifiable, Equatable {
  let id: Int
  var title = ""
}

let row = DraftBinding(State(initialValue: Row(id: 7)).projectedValue)
row.title.wrappedValue = "a"
precondition(row.id == 7 && row.draft.id == 7)

// A field of a form shows the typed text, even if it isn't a number.
var form = Partial<Guest>()
let guest = GuestForm(form: Binding(get: { @MainActor in form }, set: { @MainActor in form = $0 }))
guest.$form[\.name, default: ""].wrappedValue = "Ada"
guest.age.wrappedValue = "4x"
precondition(form.name == "Ada" && form.age == nil && guest.age.wrappedValue == "4x")
precondition(GuestForm.validation.issues(in: form)?.map(\.kind) == [.notUnderstood])
guest.age.wrappedValue = "42"
precondition(form.age == 42 && GuestForm.validation.issues(in: form) == nil)

// A field assigns its whole text with each key. This records one step with the typed text, and not a copy for each key.
let note = State(initialValue: UndoHistory(initialValue: Note()))
let title = note.projectedValue.currentItem.title
for length in 1...100 { title.wrappedValue = String(repeating: "x", count: length) }
precondition(note.wrappedValue.undoCount == 1 && note.wrappedValue.byteCount == 32)
note.projectedValue.currentItem.size.wrappedValue = 14
precondition(note.wrappedValue.undoCount == 2)
note.wrappedValue.undo()
note.wrappedValue.undo()
precondition(title.wrappedValue.isEmpty && note.wrappedValue.currentItem == Note())

await useProfileForm()
