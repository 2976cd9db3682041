// Must not compile, with an error that a reader understands: `check.sh` wants it in line 10.
import Partials
import SwiftUI

struct BrokenField: View {
  struct Guest: Sendable { var name: String }

  @State private var form = Partial<Guest>()

  var body: some View { TextField("Name", text: $form.name) }
}
