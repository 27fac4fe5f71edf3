// What a line must say for itself.

interface LineSaid {
  item_id?: unknown
  name?: unknown
  rate?: unknown
}

/**
 * The fields that a line lacks: a line of no item needs a name and a rate (specification, "Line item").
 */
export function missingOf(line: LineSaid): ('name' | 'rate')[] {
  if (line.item_id != null) return []
  return (['name', 'rate'] as const).filter(field => line[field] == null)
}
