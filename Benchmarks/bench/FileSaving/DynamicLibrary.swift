import Foundation

/// A C library that is loaded at run time if it is installed, so `bench` does not depend on it.
@safe struct DynamicLibrary: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer

  /// Loads the first library that is found under one of the names.
  init?(_ names: String...) {
    for name in names {
      if let handle = unsafe dlopen(name, RTLD_NOW) {
        unsafe self.handle = handle
        return
      }
    }
    return nil
  }

  /// A function of the library, or nil if it has none with that name.
  ///
  /// - Precondition: `Function` is the function's type in C.
  @unsafe func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    guard let symbol = unsafe dlsym(handle, name) else { return nil }
    return unsafe unsafeBitCast(symbol, to: type)
  }
}
