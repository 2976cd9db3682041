// Must not compile. `check.sh` expects an error in line 10 that a reader understands.
import Partials
import SwiftUI

struct BrokenField: View {
  struct Guest: Sendable { var name: String }

  @State private var form = Partial<Guest>()

  var body: some View { TextField("Name", text: $form.name) }
}
