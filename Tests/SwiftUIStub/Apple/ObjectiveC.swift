// The name alone: it makes `canImport(ObjectiveC)` true where Objective-C is not.
