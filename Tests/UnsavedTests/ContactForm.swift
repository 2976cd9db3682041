import Foundation
import Observation
import Unsaved

// The form of the article "A form over a server's record", exactly as the article shows it.

struct Contact: PartialSchemaProviding, Equatable {
  var name = "", email = "", phone = ""
  var version = 0

  static let fields: [any WritableKeyPath<Contact, String> & Sendable] = [\.name, \.email, \.phone]
  static let partialSchema = Partial<Contact>.Schema(("name", \.name), ("email", \.email), ("phone", \.phone))
    .ignored(\.version)
}

@MainActor
@Observable
final class ContactForm {
  var history: UndoHistory<Contact>
  /// The newest record that the server has sent.
  private(set) var stored: Contact

  init(_ contact: Contact) { (history, stored) = (UndoHistory(initialValue: contact), contact) }

  func isDirty(_ field: KeyPath<Contact, String>) -> Bool { history.touches(field, since: .savedPoint) }

  /// What to send; nil where there is nothing to save, or a save is under way.
  func beginSave() -> (save: UndoHistory<Contact>.Save, patch: Partial<Contact>)? {
    guard history.needsSave, !history.isSaving else { return nil }
    var patch = Partial<Contact>()
    for field in Contact.fields where isDirty(field) { patch.update(field, to: history.currentItem[keyPath: field]) }
    return (history.beginSave(), patch)
  }

  func didSave(_ save: UndoHistory<Contact>.Save, answer: Contact) {
    if answer.version > stored.version { stored = answer }
    history.finishSave(save, stored: stored)
  }

  func didFail(_ save: UndoHistory<Contact>.Save) { history.failSave(save) }

  func didReceive(push contact: Contact) {
    guard contact.version > stored.version else { return }
    stored = contact
    history.rebase(onto: stored)
  }
}
