// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stub of the folders of an app that Foundation has only on Apple's systems.

public import Foundation

extension URL {
  public static var documentsDirectory: URL { URL(filePath: "/documents") }
  public static var applicationSupportDirectory: URL { URL(filePath: "/support") }
}
