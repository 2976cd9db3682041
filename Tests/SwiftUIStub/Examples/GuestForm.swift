import Partials
import SwiftUI

struct Guest: Sendable { var name: String, age: Int? }

/// A form that begins empty: each field has a text, even if its property wasn't set.
struct GuestForm: View {
  @Binding var form: Partial<Guest>

  var body: some View {
    TextField("Name", text: $form[\.name, default: ""])
    TextField("Age", text: age)
    if let issue = GuestForm.validation.issues(in: form)?.first { Text(issue.message) }
  }

  /// The text that was typed, even if it isn't a number.
  var age: Binding<String> {
    Binding(
      get: { form.entered(\.age) ?? form.value(for: \.age).map { "\($0)" } ?? "" },
      set: { form.enter($0, at: \.age) { Int($0) } })
  }

  static let validation = Partial<Guest>.Validation(.required(\.name, .notEmpty), .required(\.age))
}
