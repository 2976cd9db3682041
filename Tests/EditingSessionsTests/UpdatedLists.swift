import UndoHistories

/// A document whose visible contents are the same in two versions of its type.
protocol SeenList: Codable, Sendable {
  init()
  var seen: [String] { get }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor)
}

/// A document of an earlier version of an app, with edits.
protocol EarlierList: SeenList {
  static var changes: [@MainActor (inout UndoHistory<Self>.Editor) -> Void] { get }
}

private func shown(_ title: String?, _ items: [String], _ size: Double, _ sizes: [Double]) -> [String] {
  [title ?? ""] + items + ["\(size)", "\(sizes)"]
}

// MARK: - Without named parts

struct PlainList: EarlierList {
  struct Item: Codable { var name = "" }
  var title = ""
  var detail = ""
  var items: [Item] = []
  var size = 1
  var sizes = [1, 2]

  var seen: [String] { shown(title + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
  static var changes: [@MainActor (inout UndoHistory<Self>.Editor) -> Void] {
    [
      { $0.title.append("List") },
      { $0.items.append(Item(name: "Flour")) },
      { $0.items[0].name.append("!") },
      { $0.size = 2 },
      { $0.sizes[1] = 5 },
      { $0.sizes.append(7) },
      { $0.items.append(Item(name: "Milk")) },
      { $0.items.remove(at: 0) },
      { $0.detail.append(".") },
      { $0.title = "Other" },
    ]
  }
}

struct AddedList: SeenList {
  var title = ""
  var pinned = false
  var detail = ""
  var items: [PlainList.Item] = []
  var size = 1
  var sizes = [1, 2]
  var seen: [String] { shown(title + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }

  init() {}
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    pinned = try container.decodeIfPresent(Bool.self, forKey: .pinned) ?? false
    detail = try container.decode(String.self, forKey: .detail)
    items = try container.decode([PlainList.Item].self, forKey: .items)
    size = try container.decode(Int.self, forKey: .size)
    sizes = try container.decode([Int].self, forKey: .sizes)
  }
}

/// An item with a property that has a default.
struct DoneItem: Codable {
  var isDone = false
  var name = ""

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isDone = try container.decodeIfPresent(Bool.self, forKey: .isDone) ?? false
    name = try container.decode(String.self, forKey: .name)
  }
}

struct AddedInnerList: SeenList {
  var title = ""
  var detail = ""
  var items: [DoneItem] = []
  var size = 1
  var sizes = [1, 2]
  var seen: [String] { shown(title + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

struct RemovedList: SeenList {
  var title = ""
  var items: [PlainList.Item] = []
  var size = 1
  var sizes = [1, 2]
  var seen: [String] { shown(title, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

struct WidenedList: SeenList {
  var title = ""
  var detail = ""
  var items: [PlainList.Item] = []
  var size = 1.0
  var sizes = [1.0, 2]
  var seen: [String] { shown(title + detail, items.map(\.name), size, sizes) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

struct OptionalList: SeenList {
  struct Item: Codable { var name: String? }
  var title: String? = ""
  var detail: String? = ""
  var items: [Item] = []
  var size: Int? = 1
  var sizes: [Int?] = [1, 2]
  var seen: [String] {
    shown((title ?? "") + (detail ?? ""), items.map { $0.name ?? "" }, Double(size ?? 0), sizes.map { Double($0 ?? 0) })
  }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.detail = text }
}

struct MovedList: SeenList {
  var sizes = [1, 2]
  var items: [PlainList.Item] = []
  var size = 1
  var detail = ""
  var title = ""
  var seen: [String] { shown(title + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

struct RenamedList: SeenList {
  enum CodingKeys: String, CodingKey { case heading = "title", detail, items, size, sizes }
  var heading = ""
  var detail = ""
  var items: [PlainList.Item] = []
  var size = 1
  var sizes = [1, 2]
  var seen: [String] { shown(heading + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.heading.append(text) }
}

struct RenamedInnerList: SeenList {
  struct Item: Codable {
    enum CodingKeys: String, CodingKey { case label = "name" }
    var label = ""
  }
  var title = ""
  var detail = ""
  var items: [Item] = []
  var size = 1
  var sizes = [1, 2]
  var seen: [String] { shown(title + detail, items.map(\.label), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

/// All properties are renamed and reordered.
struct AllRenamedList: SeenList {
  enum CodingKeys: String, CodingKey { case a = "detail", b = "title", c = "items", d = "size", e = "sizes" }
  var d = 1
  var a = ""
  var b = ""
  var c: [PlainList.Item] = []
  var e = [1, 2]
  var seen: [String] { shown(b + a, c.map(\.name), Double(d), e.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.b.append(text) }
}

/// A list with notes that are edited.
struct NotedList: EarlierList {
  var notes = ""
  var title = ""
  var items: [PlainList.Item] = []
  var pages: [String] = []
  var size = 1
  var sizes = [1, 2]

  var seen: [String] { shown(title, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
  static var changes: [@MainActor (inout UndoHistory<Self>.Editor) -> Void] {
    [
      { $0.title.append("List") },
      { $0.notes.append("from the sea") },
      { $0.size = 2 },
      { $0.pages.append("1") },
      { $0.pages[0].append("2") },
      { $0.items.append(PlainList.Item(name: "Flour")) },
    ]
  }
}

/// A list with notes that aren't edited.
struct QuietList: EarlierList {
  var notes = "kept"
  var title = ""
  var items: [PlainList.Item] = []
  var pages: [String] = []
  var size = 1
  var sizes = [1, 2]

  var seen: [String] { shown(title, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
  static var changes: [@MainActor (inout UndoHistory<Self>.Editor) -> Void] {
    [
      { $0.title.append("List") },
      { $0.size = 2 },
      { $0.items.append(PlainList.Item(name: "Flour")) },
    ]
  }
}

// MARK: - With named parts

struct NamedList: EarlierList, UndoArchivable {
  struct Item: UndoArchivable {
    var name = ""
    static let undoParts = [UndoPart<Item>("name", \.name)]
  }
  static let undoParts = [
    UndoPart<Self>("title", \.title), UndoPart("detail", \.detail), UndoPart("items", \.items),
    UndoPart("size", \.size), UndoPart("sizes", \.sizes),
  ]
  var title = ""
  var detail = ""
  var items: [Item] = []
  var size = 1
  var sizes = [1, 2]

  var seen: [String] { shown(title + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
  static var changes: [@MainActor (inout UndoHistory<Self>.Editor) -> Void] {
    [
      { $0.title.append("List") },
      { $0.items.append(Item(name: "Flour")) },
      { $0.items[0].name.append("!") },
      { $0.size = 2 },
      { $0.sizes[1] = 5 },
      { $0.sizes.append(7) },
      { $0.items.append(Item(name: "Milk")) },
      { $0.items.remove(at: 0) },
      { $0.detail.append(".") },
      { $0.title = "Other" },
    ]
  }
}

struct AddedNamedList: SeenList, UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("pinned", \.pinned), UndoPart("title", \.title), UndoPart("detail", \.detail),
    UndoPart("items", \.items), UndoPart("size", \.size), UndoPart("sizes", \.sizes),
  ]
  var title = ""
  var pinned = false
  var detail = ""
  var items: [NamedList.Item] = []
  var size = 1
  var sizes = [1, 2]
  var seen: [String] { shown(title + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }

  init() {}
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    pinned = try container.decodeIfPresent(Bool.self, forKey: .pinned) ?? false
    detail = try container.decode(String.self, forKey: .detail)
    items = try container.decode([NamedList.Item].self, forKey: .items)
    size = try container.decode(Int.self, forKey: .size)
    sizes = try container.decode([Int].self, forKey: .sizes)
  }
}

struct AddedInnerNamedList: SeenList, UndoArchivable {
  struct Item: UndoArchivable {
    static let undoParts = [UndoPart<Item>("isDone", \.isDone), UndoPart("name", \.name)]
    var isDone = false
    var name = ""

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      isDone = try container.decodeIfPresent(Bool.self, forKey: .isDone) ?? false
      name = try container.decode(String.self, forKey: .name)
    }
  }
  static let undoParts = [
    UndoPart<Self>("title", \.title), UndoPart("detail", \.detail), UndoPart("items", \.items),
    UndoPart("size", \.size), UndoPart("sizes", \.sizes),
  ]
  var title = ""
  var detail = ""
  var items: [Item] = []
  var size = 1
  var sizes = [1, 2]
  var seen: [String] { shown(title + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

struct RemovedNamedList: SeenList, UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("title", \.title), UndoPart("items", \.items), UndoPart("size", \.size), UndoPart("sizes", \.sizes),
  ]
  var title = ""
  var items: [NamedList.Item] = []
  var size = 1
  var sizes = [1, 2]
  var seen: [String] { shown(title, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

struct WidenedNamedList: SeenList, UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("title", \.title), UndoPart("detail", \.detail), UndoPart("items", \.items),
    UndoPart("size", \.size), UndoPart("sizes", \.sizes),
  ]
  var title = ""
  var detail = ""
  var items: [NamedList.Item] = []
  var size = 1.0
  var sizes = [1.0, 2]
  var seen: [String] { shown(title + detail, items.map(\.name), size, sizes) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

struct OptionalNamedList: SeenList, UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("title", \.title), UndoPart("detail", \.detail), UndoPart("items", \.items),
    UndoPart("size", \.size), UndoPart("sizes", \.sizes),
  ]
  var title: String? = ""
  var detail: String? = ""
  var items: [NamedList.Item] = []
  var size: Int? = 1
  var sizes: [Int?] = [1, 2]
  var seen: [String] {
    shown((title ?? "") + (detail ?? ""), items.map(\.name), Double(size ?? 0), sizes.map { Double($0 ?? 0) })
  }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.detail = text }
}

struct MovedNamedList: SeenList, UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("sizes", \.sizes), UndoPart("items", \.items), UndoPart("detail", \.detail),
    UndoPart("size", \.size), UndoPart("title", \.title),
  ]
  var sizes = [1, 2]
  var items: [NamedList.Item] = []
  var size = 1
  var detail = ""
  var title = ""
  var seen: [String] { shown(title + detail, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
}

struct NotedNamedList: EarlierList, UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("notes", \.notes), UndoPart("title", \.title), UndoPart("items", \.items),
    UndoPart("pages", \.pages), UndoPart("size", \.size), UndoPart("sizes", \.sizes),
  ]
  var notes = ""
  var title = ""
  var items: [NamedList.Item] = []
  var pages: [String] = []
  var size = 1
  var sizes = [1, 2]

  var seen: [String] { shown(title, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
  static var changes: [@MainActor (inout UndoHistory<Self>.Editor) -> Void] {
    [
      { $0.title.append("List") },
      { $0.notes.append("from the sea") },
      { $0.size = 2 },
      { $0.pages.append("1") },
      { $0.pages[0].append("2") },
      { $0.items.append(NamedList.Item(name: "Flour")) },
    ]
  }
}

/// A list with notes that aren't edited.
struct QuietNamedList: EarlierList, UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("notes", \.notes), UndoPart("title", \.title), UndoPart("items", \.items),
    UndoPart("pages", \.pages), UndoPart("size", \.size), UndoPart("sizes", \.sizes),
  ]
  var notes = "kept"
  var title = ""
  var items: [NamedList.Item] = []
  var pages: [String] = []
  var size = 1
  var sizes = [1, 2]

  var seen: [String] { shown(title, items.map(\.name), Double(size), sizes.map(Double.init)) }
  static func type(_ text: String, _ list: inout UndoHistory<Self>.Editor) { list.title.append(text) }
  static var changes: [@MainActor (inout UndoHistory<Self>.Editor) -> Void] {
    [
      { $0.title.append("List") },
      { $0.size = 2 },
      { $0.items.append(NamedList.Item(name: "Flour")) },
    ]
  }
}
