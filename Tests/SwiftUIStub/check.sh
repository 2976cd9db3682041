#!/usr/bin/env bash
# Compiles the part of Drafts that needs SwiftUI against a stub of it, with the example views, those of a Partial and of
# an UndoHistory among them, and runs what can be run. Type-checks the views of every part of an article, and against a
# stub of Apple's declarations the UndoManager around an UndoDriver and the delegate of a text view, with the parts of
# articles about them.
# Everything is built in a temporary folder: a module named SwiftUI must never be where the package would find it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=(-swift-version 6 -warnings-as-errors -package-name swift-unsaved -I "$work")
for feature in ExistentialAny ImmutableWeakCaptures InferIsolatedConformances InternalImportsByDefault \
  MemberImportVisibility NonisolatedNonsendingByDefault; do
  flags+=(-enable-upcoming-feature "$feature")
done

# module NAME ARGUMENT...: makes a module and an object file of it.
folder=$work
module() {
  swiftc "${flags[@]}" -parse-as-library -module-name "$1" -emit-module -emit-module-path "$folder/$1.swiftmodule" \
    -emit-object -whole-module-optimization -o "$folder/$1.o" "${@:2}"
}

# declarations NAME: makes a module of a library without an object file, to type-check with.
declarations() {
  swiftc "${flags[@]}" -parse-as-library -strict-memory-safety -module-name "$1" -emit-module \
    -emit-module-path "$work/$1.swiftmodule" -wmo $(find "Sources/$1" -name '*.swift')
}

module Sameness -strict-memory-safety Sources/Sameness/*.swift
module Dirtyables -strict-memory-safety Sources/Dirtyables/*.swift
if swiftc "${flags[@]}" -typecheck Tests/SwiftUIStub/Broken.swift; then :; else
  echo 'without the stub nothing of SwiftUI should be seen' >&2
  exit 1
fi
module SwiftUI Tests/SwiftUIStub/SwiftUI.swift
module Drafts -strict-memory-safety Sources/Drafts/*.swift
module Partials -strict-memory-safety Sources/Partials/*.swift Sources/Partials/*/*.swift
module UndoHistories -strict-memory-safety Sources/UndoHistories/*.swift Sources/UndoHistories/*/*.swift
if swiftc "${flags[@]}" -typecheck Tests/SwiftUIStub/Broken.swift 2>"$work/errors"; then
  echo 'the stub lets a wrong type pass' >&2
  exit 1
fi
grep -q "Broken.swift:8:.*cannot convert" "$work/errors" || { cat "$work/errors" >&2; exit 1; }
# A field of a form has no text yet: the error has to say so.
if swiftc "${flags[@]}" -typecheck Tests/SwiftUIStub/BrokenField.swift 2>"$work/errors"; then
  echo 'a field is bound to a text that may be missing' >&2
  exit 1
fi
grep -q "BrokenField.swift:10:.*'Binding<String?>' to expected argument type 'Binding<String>'" "$work/errors" ||
  { cat "$work/errors" >&2; exit 1; }

swiftc "${flags[@]}" -module-name Examples Tests/SwiftUIStub/Examples/*.swift \
  "$work"/{Sameness,Dirtyables,SwiftUI,Drafts,Partials,UndoHistories}.o -o "$work/examples"
"$work/examples"

# article PAGE MODULES FILES...: type-checks the code of a part of an article, which imports these modules.
article() {
  local folder=$work/$(basename "$1" .md)
  mkdir "$folder"
  {
    printf 'import %s\n' $2
    awk '/^```swift$/ { isCode = 1; next } /^```$/ { isCode = 0 } isCode' "$1"
  } >"$folder/main.swift"
  grep -q '^#if canImport' "$folder/main.swift" || { echo "$1 has no code for Apple's systems" >&2; exit 1; }
  swiftc "${flags[@]}" -typecheck "$folder/main.swift" "${@:3}"
}
mkdir "$work/pages"
.ci/parts "$work/pages" Sources/Unsaved/Unsaved.docc/*.md

# The articles with views, which see the real Foundation: in a folder of their own, since only the declarations are
# needed of what is below them.
mkdir "$work/windows"
for library in UndoArchives UniqueQueues PendingChanges Journals FileChanges EditingSessions Outboxes; do
  declarations "$library"
done
plain=("${flags[@]}")
flags=(-I "$work/windows" "${plain[@]}")
folder=$work/windows
module SwiftUI Tests/SwiftUIStub/SwiftUI.swift Tests/SwiftUIStub/Apple/{Scenes,Folders}.swift
module Drafts -strict-memory-safety Sources/Drafts/*.swift
libraries='Foundation Dirtyables Drafts EditingSessions FileChanges Outboxes Partials PendingChanges'
views=0
for page in $(grep -l '^import SwiftUI$' "$work"/pages/*.md | xargs grep -L 'canImport(ObjectiveC)'); do
  article "$page" "$libraries UndoArchives UndoHistories UniqueQueues"
  views=$((views + 1))
done
flags=("${plain[@]}")

# In a folder of its own: what is compiled above must see the real Foundation, and no Objective-C.
mkdir "$work/apple"
folder=$work
module UndoManagers -strict-memory-safety Sources/UndoManagers/*.swift
if swiftc "${flags[@]}" -typecheck Tests/SwiftUIStub/Apple/BrokenUndoManager.swift; then :; else
  echo 'without the stub nothing of an UndoManager should be seen' >&2
  exit 1
fi
flags=(-I "$work/apple" "${flags[@]}")
folder=$work/apple
module ObjectiveC Tests/SwiftUIStub/Apple/ObjectiveC.swift
module Foundation Tests/SwiftUIStub/Apple/Foundation.swift Tests/SwiftUIStub/Apple/FoundationText.swift
module AppKit Tests/SwiftUIStub/Apple/AppKit.swift
module UndoManagers -strict-memory-safety Sources/UndoManagers/*.swift
if swiftc "${flags[@]}" -typecheck Tests/SwiftUIStub/Apple/BrokenUndoManager.swift 2>"$work/errors"; then
  echo 'the stub of the UndoManager lets a wrong type pass' >&2
  exit 1
fi
grep -q "BrokenUndoManager.swift:8:.*cannot convert" "$work/errors" || { cat "$work/errors" >&2; exit 1; }
swiftc "${flags[@]}" -module-name Shell Tests/SwiftUIStub/Apple/Shell/main.swift \
  "$work"/{Sameness,UndoHistories,apple/ObjectiveC,apple/Foundation,apple/AppKit,apple/UndoManagers}.o -o "$work/shell"
"$work/shell"
swiftc "${flags[@]}" -module-name TextShell Tests/SwiftUIStub/Apple/TextShell/main.swift \
  "$work"/{Sameness,UndoHistories,apple/ObjectiveC,apple/Foundation,apple/AppKit,apple/UndoManagers}.o \
  -o "$work/textshell"
"$work/textshell"
module SwiftUI Tests/SwiftUIStub/SwiftUI.swift Tests/SwiftUIStub/Apple/{Scenes,UndoEnvironment}.swift
for page in $(grep -l 'canImport(ObjectiveC)' "$work"/pages/*.md); do
  document=
  ! grep -q 'NoteDocument()' "$page" || document=Tests/SwiftUIStub/Apple/NoteDocument.swift
  article "$page" 'Foundation UndoHistories UndoManagers' $document
done

echo 'DraftBinding, a Partial and an UndoHistory in fields, and their example views compile against the stub, and do what they say'
echo "the views of $views parts of articles compile against the stub"
echo 'HistoryUndoManager and the articles about it compile against the stub, and it forwards what it says'
echo 'HistoryTextViewDelegate compiles against the stub of AppKit, and records and shows what it says'
