// An empty module: it makes `canImport(ObjectiveC)` true on systems without Objective-C.
