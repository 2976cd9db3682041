import Partials
import SwiftUI

struct Guest: Sendable { var name: String, age: Int? }

/// Fields of a form that is filled from nothing: each has a text, whether its property was set or not.
struct GuestForm: View {
  @Binding var form: Partial<Guest>

  var body: some View {
    TextField("Name", text: $form[\.name, default: ""])
    TextField("Age", text: age)
    if let issue = GuestForm.validation.issues(in: form)?.first { Text(issue.message) }
  }

  /// What was typed, whether it is a number or not.
  var age: Binding<String> {
    Binding(
      get: { form.entered(\.age) ?? form.value(for: \.age).map { "\($0)" } ?? "" },
      set: { form.enter($0, at: \.age) { Int($0) } })
  }

  static let validation = Partial<Guest>.Validation(.required(\.name, .notEmpty), .required(\.age))
}
