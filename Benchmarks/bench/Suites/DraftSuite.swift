import Drafts
import Observation

// Single accesses, which are never inlined so that the compiler cannot move work out of the loop around them.

@inline(never) private func write(_ age: Double, to form: inout SmallForm) { form.age = age }
@inline(never) private func write(_ age: Double, to form: inout Draft<SmallForm>) { form.age = age }

@inline(never) private func write(_ text: String, to form: inout LargeForm) { form.f17 = text }
@inline(never) private func write(_ text: String, to form: inout Draft<LargeForm>) { form.f17 = text }
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@inline(never) private func write(_ text: String, to form: ObservableDraft<LargeForm>) { form.f17 = text }
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@inline(never) private func write(_ text: String, to model: Model) { model.form.f17 = text }

/// The owner of a form that drafts are made of.
private final class Home<Form> {
  var form: Form

  init(_ form: Form) {
    self.form = form
  }
}

/// An object that a view would observe without a draft.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@Observable
private final class Model {
  var form: LargeForm

  init(_ form: LargeForm) {
    self.form = form
  }
}

extension Suite {
  /// Compares `Draft`, an edited copy of a value that is stored elsewhere, with the plain value.
  static var draft: Suite {
    Suite("Draft") { suite in
      suite.benchmark("read", "read a member of one of 1,024 edited drafts of 16 bytes") { _ in
        (0..<1024).map { SmallForm(count: $0) }
      } contenders: { race in
        race.subject("Draft") { forms in
          forms.map { form -> Draft<SmallForm> in
            var draft = Draft(of: Home(form), \.form)
            draft.age += 0
            return draft
          }
        } run: { drafts, _, operations in
          operations.reduce(0) { sum, i in sum &+ drafts[i & 1023].count }
        }
        race.floor("plain struct", setUp: { $0 }) { forms, _, operations in
          operations.reduce(0) { sum, i in sum &+ forms[i & 1023].count }
        }
      }

      suite.benchmark("write.small", "write a member of an edited draft of 16 bytes") { _ in
        SmallForm()
      } contenders: { race in
        race.subject("Draft", setUp: { Draft(of: Home($0), \.form) }) { draft, _, operations in
          for i in operations { write(Double(i), to: &draft) }
          return Int(draft.age)
        }
        race.floor("plain struct", setUp: { $0 }) { form, _, operations in
          for i in operations { write(Double(i), to: &form) }
          return Int(form.age)
        }
      }

      suite.benchmark("write.large", "write one of 40 strings of an edited draft") { _ in
        (form: LargeForm(), texts: (0..<64).map(LargeForm.text))
      } contenders: { race in
        race.subject("Draft", setUp: { Draft(of: Home($0.form), \.form) }) { draft, input, operations in
          for i in operations { write(input.texts[i & 63], to: &draft) }
          return draft.f17.utf8.count
        }
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
          race.peer("ObservableDraft", setUp: { ObservableDraft(Draft(of: Home($0.form), \.form)) }) {
            draft, input, operations in
            for i in operations { write(input.texts[i & 63], to: draft) }
            return draft.f17.utf8.count
          }
          race.peer("@Observable class", setUp: { Model($0.form) }) { model, input, operations in
            for i in operations { write(input.texts[i & 63], to: model) }
            return model.form.f17.utf8.count
          }
        }
        race.floor("plain struct", setUp: { $0.form }) { form, input, operations in
          for i in operations { write(input.texts[i & 63], to: &form) }
          return form.f17.utf8.count
        }
      }

      suite.benchmark("commit", "edit a draft of 40 strings and commit it") { _ in
        (form: LargeForm(), texts: (0..<64).map(LargeForm.text))
      } contenders: { race in
        race.subject("Draft", setUp: { Draft(of: Home($0.form), \.form) }) { draft, input, operations in
          for i in operations {
            write(input.texts[i & 63], to: &draft)
            try? draft.commit()
          }
          return draft.base.f17.utf8.count
        }
        race.floor("copy, edit, assign", setUp: { Home($0.form) }) { home, input, operations in
          for i in operations {
            var copy = home.form
            write(input.texts[i & 63], to: &copy)
            if copy != home.form { home.form = copy }
          }
          return home.form.f17.utf8.count
        }
      }
    }
  }
}
