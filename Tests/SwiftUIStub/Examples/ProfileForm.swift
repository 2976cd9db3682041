import Dirtyables
import Observation
import Partials
import SwiftUI

struct Profile: Equatable, Sendable {
  var name = "Ada", email = "ada@example.com", volume = 0.5
  var version = 1

  static let fields = Dirtyable<Profile>.Fields(\.name, \.email, \.volume, \.version)
  static let rules = Partial<Profile>.Validation(
    .required(\.name, .notEmpty), .check(\.email, "An e-mail address has an @.") { $0.contains("@") }
  ).named([\.name: "The name"])
}

@MainActor
@Observable
final class ProfileModel {
  var profile = Dirtyable(Profile())
  private(set) var problem: String?
  @ObservationIgnored var upload: (Profile) async throws -> Profile = { $0 }

  var issues: Partial<Profile>.Validation.Issues? { Profile.rules.issues(in: profile.current) }
  var canSave: Bool { profile.needsSave && !profile.isSaving && issues == nil }

  func save() async {
    guard canSave else { return }
    let save = profile.beginSave()
    do {
      profile.finishSave(save, stored: try await upload(save.value), merging: Profile.fields)
      problem = nil
    } catch {
      profile.failSave(save)
      problem = "Not saved: \(error)"
    }
  }
}

/// A form over a server's record, as its author would write it: dirty marks, rules, and a save while typing goes on.
struct ProfileForm: View {
  @Bindable var model: ProfileModel

  var body: some View {
    Form {
      TextField(model.profile.isDirty(\.name) ? "Name •" : "Name", text: $model.profile.name)
      TextField(model.profile.isDirty(\.email) ? "E-mail •" : "E-mail", text: $model.profile.email)
      if let issue = model.issues?.issues(for: \.email).first { Text(issue.message) }
      Slider(value: $model.profile.volume, in: 0...1)
      Button("Save") { Task { await model.save() } }.disabled(!model.canSave)
      Button("Revert") { model.profile.rollback() }.disabled(!model.profile.isDirty)
      if let problem = model.problem { Text(problem) }
    }
  }
}

/// Types into the form as a user does, while the server answers, refuses, and changes what it was sent.
@MainActor
func useProfileForm() async {
  let model = ProfileModel()
  let form = ProfileForm(model: model)
  let (name, email) = (form.$model.profile.name, form.$model.profile.email)
  precondition(!model.canSave, "nothing is edited")

  // A wrong address has a message beside its field, and can't be saved.
  email.wrappedValue = "king"
  precondition(model.issues?.issues(for: \.email).map(\.message) == ["An e-mail address has an @."])
  precondition(!model.canSave && model.profile.isDirty(\.email) && !model.profile.isDirty(\.name))
  email.wrappedValue = "king@example.com"
  precondition(model.canSave && model.issues == nil)

  // A save that fails leaves the edits.
  struct Away: Error {}
  model.upload = { _ in throw Away() }
  await model.save()
  precondition(model.problem == "Not saved: Away()" && model.canSave)

  // A name typed during a save stays dirty. The version of the server arrives, and its spelling of the sent address.
  model.upload = { sent in
    name.wrappedValue = "Grace"
    precondition(!model.canSave && sent.name == "Ada")
    return Profile(name: sent.name, email: sent.email.uppercased(), volume: sent.volume, version: 2)
  }
  await model.save()
  precondition(model.profile.current == Profile(name: "Grace", email: "KING@EXAMPLE.COM", version: 2))
  precondition(model.profile.isDirty(\.name) && !model.profile.isDirty(\.email) && model.problem == nil)

  // "Revert" goes back to what the server has.
  model.profile.rollback()
  precondition(name.wrappedValue == "Ada" && !model.profile.isDirty && !model.canSave)
}
