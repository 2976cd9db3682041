import Dirtyables

// Single accesses, which are never inlined so that the compiler cannot move work out of the loop around them.

@inline(never) private func read(_ form: inout LargeForm) -> Int { form.f17.utf8.count }
@inline(never) private func read(_ form: inout Dirtyable<LargeForm>) -> Int { form.f17.utf8.count }
@inline(never) private func read(_ form: inout PostDirtyable<LargeForm>) -> Int { form.f17.utf8.count }

@inline(never) private func write(_ age: Double, to form: inout SmallForm) { form.age = age }
@inline(never) private func write(_ age: Double, to form: inout Dirtyable<SmallForm>) { form.age = age }
@inline(never) private func write(_ age: Double, to form: inout PostDirtyable<SmallForm>) { form.age = age }

@inline(never) private func write(_ text: String, to form: inout LargeForm) { form.f17 = text }
@inline(never) private func write(_ text: String, to form: inout Dirtyable<LargeForm>) { form.f17 = text }
@inline(never) private func write(_ text: String, to form: inout PostDirtyable<LargeForm>) { form.f17 = text }

@inline(never) private func add(_ index: Int, in form: inout ListForm) { form.items[index] += 1 }
@inline(never) private func add(_ index: Int, in form: inout Dirtyable<ListForm>) { form.items[index] += 1 }
@inline(never) private func add(_ index: Int, in form: inout PostDirtyable<ListForm>) { form.items[index] += 1 }

extension Suite {
  /// Compares `Dirtyable` with a plain value and with the post's pair of values.
  static var dirtyable: Suite {
    Suite("Dirtyable") { suite in
      suite.benchmark("read.small", "read a member of one of 1,024 edited forms of 16 bytes") { _ in
        (0..<1024).map { SmallForm(count: $0) }
      } contenders: { race in
        race.subject("Dirtyable", setUp: { $0.map { Dirtyable(original: $0, current: $0) } }) { forms, _, operations in
          operations.reduce(0) { sum, i in sum &+ forms[i & 1023].count }
        }
        race.peer("original and edited copy", setUp: { $0.map { edited(PostDirtyable($0)) } }) { forms, _, operations in
          operations.reduce(0) { sum, i in sum &+ forms[i & 1023].count }
        }
        race.floor("plain struct", setUp: { $0 }) { forms, _, operations in
          operations.reduce(0) { sum, i in sum &+ forms[i & 1023].count }
        }
      }

      // Reads from several forms, because the place of a single form's string in its cache line changes the time by a
      // fifth.
      suite.benchmark("read.large", "read one of 40 strings of one of 16 edited forms") { _ in
        (0..<16).map { _ in LargeForm() }
      } contenders: { race in
        race.subject("Dirtyable", setUp: { $0.map { Dirtyable(original: $0, current: $0) } }) { forms, _, operations in
          unsafe forms.withUnsafeMutableBufferPointer { forms in
            operations.reduce(0) { sum, i in unsafe sum &+ read(&forms[i & 15]) }
          }
        }
        race.peer("original and edited copy", setUp: { $0.map { edited(PostDirtyable($0)) } }) { forms, _, operations in
          unsafe forms.withUnsafeMutableBufferPointer { forms in
            operations.reduce(0) { sum, i in unsafe sum &+ read(&forms[i & 15]) }
          }
        }
        race.floor("plain struct", setUp: { $0 }) { forms, _, operations in
          unsafe forms.withUnsafeMutableBufferPointer { forms in
            operations.reduce(0) { sum, i in unsafe sum &+ read(&forms[i & 15]) }
          }
        }
      }

      suite.benchmark("write.small", "write a member of an edited form of 16 bytes") { _ in
        SmallForm()
      } contenders: { race in
        race.subject("Dirtyable", setUp: { Dirtyable(original: $0, current: $0) }) { form, _, operations in
          for i in operations { write(Double(i), to: &form) }
          return Int(form.age)
        }
        race.peer("original and edited copy", setUp: { edited(PostDirtyable($0)) }) { form, _, operations in
          for i in operations { write(Double(i), to: &form) }
          return Int(form.age)
        }
        race.floor("plain struct", setUp: { $0 }) { form, _, operations in
          for i in operations { write(Double(i), to: &form) }
          return Int(form.age)
        }
      }

      suite.benchmark("write.large", "write one of 40 strings of an edited form") { _ in
        (form: LargeForm(), texts: (0..<64).map(LargeForm.text))
      } contenders: { race in
        race.subject("Dirtyable", setUp: { Dirtyable(original: $0.form, current: $0.form) }) {
          form, input, operations in
          for i in operations { write(input.texts[i & 63], to: &form) }
          return form.f17.utf8.count
        }
        race.peer("original and edited copy", setUp: { edited(PostDirtyable($0.form)) }) { form, input, operations in
          for i in operations { write(input.texts[i & 63], to: &form) }
          return form.f17.utf8.count
        }
        race.floor("plain struct", setUp: { $0.form }) { form, input, operations in
          for i in operations { write(input.texts[i & 63], to: &form) }
          return form.f17.utf8.count
        }
      }

      suite.benchmark(
        "element", "items[i] += 1 in an edited form with n items",
        sizes: .exactly(1000, 32_768, 1_000_000, quick: 1_000_000)
      ) { n in
        Keys.ints(n)
      } contenders: { race in
        race.subject("Dirtyable") { keys in
          var form = Dirtyable(ListForm(items: Array(keys.resident)))
          form.items[0] += 0
          return form
        } run: { form, _, operations in
          let count = form.items.count
          for i in operations { add(i &* 7919 % count, in: &form) }
          return form.items[0]
        }
        race.peer("original and edited copy") { keys in
          edited(PostDirtyable(ListForm(items: Array(keys.resident))))
        } run: { form, _, operations in
          let count = form.items.count
          for i in operations { add(i &* 7919 % count, in: &form) }
          return form.items[0]
        }
        race.floor("plain struct") { keys in
          ListForm(items: Array(keys.resident))
        } run: { form, _, operations in
          let count = form.items.count
          for i in operations { add(i &* 7919 % count, in: &form) }
          return form.items[0]
        }
      }

      suite.benchmark("isDirty", "ask one of 64 edited forms of 40 strings, each set back") { _ in
        (0..<64).map { _ in LargeForm() }
      } contenders: { race in
        race.subject("Dirtyable", setUp: { $0.map { Dirtyable(original: $0, current: $0) } }) { forms, _, operations in
          operations.reduce(0) { count, i in count &+ (forms[i & 63].isDirty ? 0 : i) }
        }
        race.floor("original != current", setUp: { $0.map { (original: $0, current: $0) } }) { pairs, _, operations in
          operations.reduce(0) { count, i in count &+ (pairs[i & 63].original != pairs[i & 63].current ? 0 : i) }
        }
      }

      suite.benchmark("round.small", "first write and commit of a form of 16 bytes") { _ in
        SmallForm()
      } contenders: { race in
        race.subject("Dirtyable", setUp: { Dirtyable($0) }) { form, _, operations in
          for i in operations {
            write(Double(i), to: &form)
            form.commit()
          }
          return Int(form.age)
        }
        race.peer("original and edited copy", setUp: { PostDirtyable($0) }) { form, _, operations in
          for i in operations {
            write(Double(i), to: &form)
            form.commit()
          }
          return Int(form.age)
        }
      }

      suite.benchmark("round.large", "first write and commit of a form of 40 strings") { _ in
        (form: LargeForm(), texts: (0..<64).map(LargeForm.text))
      } contenders: { race in
        race.subject("Dirtyable", setUp: { Dirtyable($0.form) }) { form, input, operations in
          for i in operations {
            write(input.texts[i & 63], to: &form)
            form.commit()
          }
          return form.f17.utf8.count
        }
        race.peer("original and edited copy", setUp: { PostDirtyable($0.form) }) { form, input, operations in
          for i in operations {
            write(input.texts[i & 63], to: &form)
            form.commit()
          }
          return form.f17.utf8.count
        }
        race.floor("a copy kept by hand", setUp: { (form: $0.form, original: LargeForm?.none) }) {
          state, input, operations in
          for i in operations {
            state.original = state.form
            write(input.texts[i & 63], to: &state.form)
            state.original = nil
          }
          return state.form.f17.utf8.count
        }
      }

      suite.benchmark("rebase", "rebase a form onto a new original, 30 fields of 40") { _ in
        Sides()
      } contenders: { race in
        race.subject("Dirtyable", setUp: { $0 }) { sides, _, operations in
          operations.reduce(0) { count, _ in
            var form = Dirtyable(original: sides.base, current: sides.mine)
            let conflicts = form.rebase(onto: sides.theirs, merging: LargeForm.fields)
            return count &+ form.f2.utf8.count &+ conflicts.keyPaths.count
          }
        }
        race.peer("key paths in an array", setUp: { $0 }) { sides, _, operations in
          operations.reduce(0) { count, _ in
            let (merged, conflicts) = sides.mergedByHand()
            return count &+ merged.f2.utf8.count &+ conflicts.count
          }
        }
      }
    }
  }
}

/// An edited form in the post's design, which holds an update.
private func edited<Value>(_ form: PostDirtyable<Value>) -> PostDirtyable<Value> {
  var form = form
  form[dynamicMember: \.self] = form.current
  return form
}
