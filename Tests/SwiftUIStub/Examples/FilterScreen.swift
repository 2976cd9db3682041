import Dirtyables
import Drafts
import SwiftUI

struct Filter: Equatable {
  struct Price: Equatable {
    var from = 0.0
    var to = 100.0
  }

  var text = ""
  var price = Price()
}

/// The filter screen of the blog post: edits show at once, "Apply" commits, and "Cancel" leaves the source as it is.
struct FilterScreen: View {
  @DraftBinding private var filter: Filter
  @State private var conflicts: Dirtyable<Filter>.Conflicts?

  init(filter: Binding<Filter>) {
    _filter = DraftBinding(filter)
  }

  var body: some View {
    Form {
      TextField("Text", text: $filter.text)
      PriceScreen(price: $filter.price)
      if let text = conflicts?[\.text] {
        Text("They search for \(text.theirs)")
        Button("Take theirs") { $filter.rollback(\.text) }
      }
      Button("Apply", action: apply).disabled(!$filter.isDirty)
      Button("Cancel") { $filter.rollback() }
    }
  }

  private func apply() {
    do {
      try $filter.commit(.merge(.init(\.text, \.price)))
    } catch {
      conflicts = $filter.rebase(merging: .init(\.text, \.price))
    }
  }
}

/// The screen with the names that the blog post uses.
struct PostFilterScreen: View {
  private var filter: BindingWrapper<Filter>

  init(filter: Binding<Filter>) {
    self.filter = BindingWrapper(value: filter)
  }

  var body: some View {
    Form {
      Text(filter.value.text)
      TextField("Text", text: filter.$value.text)
      Button("Apply") { filter.commit() }
    }
  }
}

/// A screen with a draft within a draft: "Apply" makes one edit of the filter's draft.
struct PriceScreen: View {
  @DraftBinding private var price: Filter.Price
  @State private var isInConflict = false

  init(price: Binding<Filter.Price>) {
    _price = DraftBinding(price)
  }

  var body: some View {
    Form {
      Slider(value: $price.from, in: 0...price.to)
      Slider(value: $price.to, in: price.from...1000)
      if isInConflict {
        Text("The filter has other prices by now")
        Button("Keep mine") { try? $price.commit(.overwrite) }
      }
      Button("Apply", action: apply).disabled(!$price.isDirty)
    }
  }

  private func apply() {
    do {
      try $price.commit()
      isInConflict = false
    } catch {
      isInConflict = true
    }
  }
}

/// An object that owns a draft, so that Save and Cancel can be outside of the editor.
@MainActor
final class FilterEditor {
  let filter: ObservableDraft<Filter>

  init(filter: Binding<Filter>) {
    self.filter = ObservableDraft(Draft(source: Draft.Source(filter)))
  }

  /// Commits the draft; returns false if the filter changed elsewhere meanwhile.
  func apply() -> Bool {
    do {
      try filter.commit()
      return true
    } catch {
      return false
    }
  }
}
