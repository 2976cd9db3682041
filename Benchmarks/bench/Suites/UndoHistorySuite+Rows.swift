import UndoHistories

extension Suite {
  /// An update of 1,000 of 50,000 rows as one step, and its undo: the workload of the benchmark of Mutative, a library
  /// for JavaScript.
  mutating func addRows() {
    benchmark(
      "rows", "update 1,000 of 50,000 rows as one step, and undo it", state: .fresh(upTo: 100)
    ) { _ in
      (0..<50_000).map { SheetRow(number: $0, title: "row \($0)") }
    } contenders: { race in
      race.subject("UndoHistory, by edit", setUp: { UndoHistory(initialValue: Sheet(rows: unshared($0))) }) {
        history, _, operations in
        for i in operations {
          history.transaction { edit in
            for row in updated { edit.rows[row].value = ~i }
          }
          history.undo()
        }
        return history.rows[0].value
      }
      race.peer(
        "UndoHistory, by currentItem", setUp: { UndoHistory(initialValue: Sheet(rows: unshared($0))) }
      ) { history, _, operations in
        for i in operations {
          history.currentItem.update(to: ~i)
          history.undo()
        }
        return history.rows[0].value
      }
      race.peer("a copy of the rows", setUp: { Sheet(rows: unshared($0)) }) { sheet, _, operations in
        for i in operations {
          let old = sheet
          sheet.update(to: ~i)
          sink(sheet.rows[0].value)
          sheet = old
        }
        return sheet.rows[0].value
      }
      race.floor("two updates, no undo at all", setUp: { Sheet(rows: unshared($0)) }) { sheet, _, operations in
        for i in operations {
          sheet.update(to: ~i)
          sheet.update(to: 0)
        }
        return sheet.rows[0].value
      }
    }
  }
}

/// The positions of the rows that are updated.
private let updated = stride(from: 0, to: 50_000, by: 50)

private struct Sheet {
  var rows: [SheetRow]

  @inline(never)
  mutating func update(to value: Int) {
    for row in updated { rows[row].value = value }
  }
}

private struct SheetRow {
  var number: Int
  var title: String
  var value = 0
  var isDone = false
}
