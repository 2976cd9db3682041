/// Performs random actions with a model of a value and with copies of it, which are made and dropped at random.
///
/// An action must affect only the model that performs it, so this also tests that the values are independent of their
/// copies.
///
/// - Parameters:
///   - steps: The number of actions. A random one of the models performs each of them.
///   - limit: The largest number of models.
///   - act: Performs a random action with a model.
/// - Returns: The models that are left, at least one.
public func randomCopies<Model>(
  of model: Model, steps: Int, atMost limit: Int = 3, using random: inout SeededRandom,
  act: (inout Model, inout SeededRandom) -> Void
) -> [Model] {
  var models = [model]
  for _ in 0..<steps {
    let index = random.int(in: 0..<models.count)
    act(&models[index], &random)
    guard random.chance(oneIn: 20) else { continue }
    if models.count < limit { models.append(models[index]) } else { models.remove(at: index) }
  }
  return models
}
