// The umbrella: `import Unsaved` brings every type of the toolkit, and nothing of its own.
@_exported public import Dirtyables
@_exported public import Drafts
@_exported public import EditingSessions
@_exported public import FileChanges
@_exported public import FoundationLeaves
@_exported public import Outboxes
@_exported public import Partials
@_exported public import PendingChanges
@_exported public import UndoArchives
@_exported public import UndoHistories
@_exported public import UndoManagers
@_exported public import UniqueQueues
