import Partials

// Single accesses, which are never inlined so that the compiler cannot move work out of the loop around them.

private typealias Stored = Partial<Form8>
private typealias Keyed = DictionaryPartial<Form8>

@inline(never) private func number(_ form: inout Stored) -> Int { (try? form.value(for: \.i1)) ?? -1 }
@inline(never) private func number(_ form: inout Keyed) -> Int { (try? form.value(for: \.i1)) ?? -1 }
@inline(never) private func number(_ form: inout OptionalForm8) -> Int { form.i1 ?? -1 }

@inline(never) private func text(_ form: inout Stored) -> Int { (try? form.value(for: \.s1).utf8.count) ?? -1 }
@inline(never) private func text(_ form: inout Keyed) -> Int { (try? form.value(for: \.s1).utf8.count) ?? -1 }
@inline(never) private func text(_ form: inout OptionalForm8) -> Int { form.s1?.utf8.count ?? -1 }

@inline(never) private func set(_ number: Int, in form: inout Stored) { form.update(\.i1, to: number) }
@inline(never) private func set(_ number: Int, in form: inout Keyed) { form.put(number, at: \.i1) }
@inline(never) private func set(_ number: Int, in form: inout OptionalForm8) { form.i1 = number }

@inline(never) private func set(_ text: String, in form: inout Stored) { form.update(\.s1, to: text) }
@inline(never) private func set(_ text: String, in form: inout Keyed) { form.put(text, at: \.s1) }
@inline(never) private func set(_ text: String, in form: inout OptionalForm8) { form.s1 = text }

/// A function that reads a property, which the loop calls through a variable.
///
/// If the compiler knew the function, and that it changes nothing, it could move the call out of the loop.
private struct Reader<Form> {
  let read: (inout Form) -> Int
}

@inline(never) private func collected<Collector: FormCollector>(_ values: FormValues) -> Collector
where Collector.Form: CollectedForm {
  var collector = Collector()
  Collector.Form.collect(values, in: &collector)
  return collector
}

@inline(never) private func built<Collector: FormCollector>(_ collector: Collector) -> Collector.Form?
where Collector.Form: CollectedForm {
  try? Collector.Form.build(from: collector)
}

@inline(never) private func collected<Form: OptionalForm>(_ values: FormValues) -> Form { Form(values) }

private func many<Collector: FormCollector>(_ values: FormValues) -> [Collector] where Collector.Form: CollectedForm {
  (0..<64).map { _ in collected(values) }
}

private func many<Form: OptionalForm>(_ values: FormValues) -> [Form] { (0..<64).map { _ in collected(values) } }

@inline(never) private func built<Form: OptionalForm>(_ form: Form) -> Form.Form? { form.build() }
@inline(never) private func isValid<Root>(_ form: Partial<Root>, _ validation: Partial<Root>.Validation) -> Bool {
  validation.issues(in: form) == nil
}
@inline(never) private func isComplete(_ form: some OptionalForm) -> Bool { form.isComplete }

extension Suite {
  /// Compares `Partial` with the posts' dictionary and a struct of optionals.
  static var partial: Suite {
    Suite("Partial") { suite in
      // Reads from many forms, because a read takes six cycles, and the place of a single form in memory changes that
      // by one or two.
      suite.benchmark("get.Int", "read one of eight properties of one of 64, or throw") { _ in
        FormValues(number: 7)
      } contenders: { race in
        race.subject("Partial", setUp: { many($0) as [Stored] }) { forms, _, operations in
          let reader = opaque(Reader<Stored>(read: number))
          return operations.reduce(0) { sum, i in sum &+ reader.read(&forms[i & 63]) }
        }
        race.peer("dictionary", setUp: { many($0) as [Keyed] }) { forms, _, operations in
          let reader = opaque(Reader<Keyed>(read: number))
          return operations.reduce(0) { sum, i in sum &+ reader.read(&forms[i & 63]) }
        }
        race.floor("optionals", setUp: { many($0) as [OptionalForm8] }) { forms, _, operations in
          let reader = opaque(Reader<OptionalForm8>(read: number))
          return operations.reduce(0) { sum, i in sum &+ reader.read(&forms[i & 63]) }
        }
      }

      suite.benchmark("get.String", "read one of eight properties of one of 64, or throw") { _ in
        FormValues(number: 7)
      } contenders: { race in
        race.subject("Partial", setUp: { many($0) as [Stored] }) { forms, _, operations in
          let reader = opaque(Reader<Stored>(read: text))
          return operations.reduce(0) { sum, i in sum &+ reader.read(&forms[i & 63]) }
        }
        race.peer("dictionary", setUp: { many($0) as [Keyed] }) { forms, _, operations in
          let reader = opaque(Reader<Keyed>(read: text))
          return operations.reduce(0) { sum, i in sum &+ reader.read(&forms[i & 63]) }
        }
        race.floor("optionals", setUp: { many($0) as [OptionalForm8] }) { forms, _, operations in
          let reader = opaque(Reader<OptionalForm8>(read: text))
          return operations.reduce(0) { sum, i in sum &+ reader.read(&forms[i & 63]) }
        }
      }

      suite.benchmark("set.Int", "set one of eight properties again") { _ in
        FormValues(number: 7)
      } contenders: { race in
        race.subject("Partial", setUp: { collected($0) as Stored }) { form, _, operations in
          for i in operations { set(i, in: &form) }
          return number(&form)
        }
        race.peer("dictionary", setUp: { collected($0) as Keyed }) { form, _, operations in
          for i in operations { set(i, in: &form) }
          return number(&form)
        }
        race.floor("optionals", setUp: { collected($0) as OptionalForm8 }) { form, _, operations in
          for i in operations { set(i, in: &form) }
          return number(&form)
        }
      }

      suite.benchmark("set.String", "set one of eight properties again") { _ in
        (values: FormValues(number: 7), texts: (0..<64).map(LargeForm.text))
      } contenders: { race in
        race.subject("Partial", setUp: { collected($0.values) as Stored }) { form, input, operations in
          for i in operations { set(input.texts[i & 63], in: &form) }
          return text(&form)
        }
        race.peer("dictionary", setUp: { collected($0.values) as Keyed }) { form, input, operations in
          for i in operations { set(input.texts[i & 63], in: &form) }
          return text(&form)
        }
        race.floor("optionals", setUp: { collected($0.values) as OptionalForm8 }) { form, input, operations in
          for i in operations { set(input.texts[i & 63], in: &form) }
          return text(&form)
        }
      }

      suite.benchmark("copy", "copy one of eight properties and set one of the copy's") { _ in
        FormValues(number: 7)
      } contenders: { race in
        race.subject("Partial", setUp: { collected($0) as Stored }) { form, _, operations in
          operations.reduce(0) { sum, i in
            var copy = form
            set(i, in: &copy)
            return sum &+ number(&copy)
          }
        }
        race.peer("dictionary", setUp: { collected($0) as Keyed }) { form, _, operations in
          operations.reduce(0) { sum, i in
            var copy = form
            set(i, in: &copy)
            return sum &+ number(&copy)
          }
        }
        race.floor("optionals", setUp: { collected($0) as OptionalForm8 }) { form, _, operations in
          operations.reduce(0) { sum, i in
            var copy = form
            set(i, in: &copy)
            return sum &+ number(&copy)
          }
        }
      }

      suite.addForms(of: 2, Form2.self, OptionalForm2.self)
      suite.addForms(of: 8, Form8.self, OptionalForm8.self)
      suite.addForms(of: 30, Form30.self, OptionalForm30.self)
    }
  }

  /// Adds the benchmarks of whole forms, for a form with a given number of properties.
  private mutating func addForms<Form: CollectedForm, Optionals: OptionalForm>(
    of count: Int, _: Form.Type, _: Optionals.Type
  ) where Optionals.Form == Form {
    benchmark("fill.\(count)", "set each of \(count) properties of a new one, and drop it") { _ in
      FormValues(number: 7)
    } contenders: { race in
      race.subject("Partial", setUp: { $0 }) { values, _, operations in
        operations.reduce(0) { sum, _ in sum &+ Form.number(in: collected(values) as Partial<Form>) }
      }
      race.peer("dictionary", setUp: { $0 }) { values, _, operations in
        operations.reduce(0) { sum, _ in sum &+ Form.number(in: collected(values) as DictionaryPartial<Form>) }
      }
      race.floor("optionals", setUp: { $0 }) { values, _, operations in
        operations.reduce(0) { sum, _ in sum &+ ((collected(values) as Optionals).i0 ?? -1) }
      }
    }

    benchmark("build.\(count)", "build the form from its \(count) properties") { _ in
      FormValues(number: 7)
    } contenders: { race in
      race.subject("Partial", setUp: { collected($0) as Partial<Form> }) { form, _, operations in
        operations.reduce(0) { sum, _ in sum &+ (built(form) == nil ? 0 : 1) }
      }
      race.peer("dictionary", setUp: { collected($0) as DictionaryPartial<Form> }) { form, _, operations in
        operations.reduce(0) { sum, _ in sum &+ (built(form) == nil ? 0 : 1) }
      }
      race.floor("optionals", setUp: { collected($0) as Optionals }) { form, _, operations in
        operations.reduce(0) { sum, _ in sum &+ (built(form) == nil ? 0 : 1) }
      }
    }

    benchmark("validate.\(count)", "ask whether all \(count) properties are set") { _ in
      FormValues(number: 7)
    } contenders: { race in
      race.subject("Partial") { values in
        (form: collected(values) as Partial<Form>, rule: Partial<Form>.Validation(Form.keyPaths.map { .required($0) }))
      } run: { state, _, operations in
        operations.reduce(0) { count, _ in count &+ (isValid(state.form, state.rule) ? 1 : 0) }
      }
      race.peer("dictionary") { values in
        (form: collected(values) as DictionaryPartial<Form>, keyPaths: Form.keyPaths.map { $0 })
      } run: { state, _, operations in
        operations.reduce(0) { count, _ in count &+ (state.form.isComplete(state.keyPaths) ? 1 : 0) }
      }
      race.floor("optionals", setUp: { collected($0) as Optionals }) { form, _, operations in
        operations.reduce(0) { count, _ in count &+ (isComplete(form) ? 1 : 0) }
      }
    }

    benchmark("memory.\(count)", "hold 1,024 with \(count) properties set (live), and read one") { _ in
      FormValues(number: 7)
    } contenders: { race in
      race.subject("Partial") { values in
        (0..<1024).map { _ in collected(values) as Partial<Form> }
      } run: { forms, _, operations in
        operations.reduce(0) { sum, i in sum &+ Form.number(in: forms[i & 1023]) }
      }
      race.peer("dictionary") { values in
        (0..<1024).map { _ in collected(values) as DictionaryPartial<Form> }
      } run: { forms, _, operations in
        operations.reduce(0) { sum, i in sum &+ Form.number(in: forms[i & 1023]) }
      }
      race.floor("optionals") { values in
        (0..<1024).map { _ in collected(values) as Optionals }
      } run: { forms, _, operations in
        operations.reduce(0) { sum, i in sum &+ (forms[i & 1023].i0 ?? -1) }
      }
    }
  }
}
