// The fields that a line must have.

interface LineFields {
  item_id?: unknown
  name?: unknown
  rate?: unknown
}

/**
 * The required fields that a line lacks: a line without an item needs a name and a rate (specification, "Line item").
 */
export function missingOf(line: LineFields): ('name' | 'rate')[] {
  if (line.item_id != null) return []
  return (['name', 'rate'] as const).filter((field) => line[field] == null)
}
