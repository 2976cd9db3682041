// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Folders of an app that Foundation has on Apple's systems alone.

public import Foundation

extension URL {
  public static var documentsDirectory: URL { URL(filePath: "/documents") }
  public static var applicationSupportDirectory: URL { URL(filePath: "/support") }
}
