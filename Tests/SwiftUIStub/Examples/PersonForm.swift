import Dirtyables
import SwiftUI

struct Person: Equatable {
  var name: String
  var age: Double
}

/// The form with Save and Reset of the blog post about dirty data; its state is the `Dirtyable` itself.
struct PersonForm: View {
  @State private var person = Dirtyable(Person(name: "Joe", age: 42))

  var body: some View {
    Form {
      TextField("Name", text: $person.name)
      Slider(value: $person.age, in: 0...120)
      Button("Save") { person.commit() }.disabled(!person.isDirty)
      Button("Reset") { person.rollback() }.disabled(!person.isDirty)
    }
  }
}
