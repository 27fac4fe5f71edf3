// Request bodies that are as expensive to read as their size allows: long lists, many names, deep nesting, shapes filled to their limits.
import type { TSchema } from 'typebox'

export interface NastyBody {
  name: string
  text: string
}

type Shape = TSchema & {
  type?: string | string[]
  properties?: Record<string, Shape>
  items?: Shape
  maxItems?: number
  maxLength?: number
}

/** Bodies of up to this many bytes that are expensive for every route. */
export function nastyBodies(bytes: number): NastyBody[] {
  const filled = (part: string, before: string, after: string) => (
    before + part.repeat(Math.floor((bytes - before.length - after.length) / Buffer.byteLength(part))) + after
  )
  const named = (make: (n: number) => string) => {
    const names: string[] = []
    for (let [n, size] = [0, 2]; size < bytes - 100; n += 1) size += names[names.push(make(n)) - 1]!.length + 1
    return `{${names.join()}}`
  }
  const long = 'k'.repeat(bytes / 10)
  return [
    { name: 'a list of zeros', text: filled('0,', '{"line_items":[', '0]}') },
    { name: 'a list of objects', text: filled('{},', '{"line_items":[', '{}]}') },
    { name: 'lists as deep as may be', text: filled(`${'['.repeat(60)}${']'.repeat(60)},`, '{"line_items":[', '0]}') },
    { name: 'lists deeper than may be', text: '['.repeat(bytes - 1) },
    { name: 'many names', text: named((n) => `"k${n.toString(36)}":0`) },
    { name: 'many objects', text: named((n) => `"k${n.toString(36)}":{"a":{}}`) },
    { name: 'one name many times', text: filled('"line_items":0,', '{', '"a":0}') },
    { name: 'numbers that are none, under a long name', text: filled('1e999,', `{"${long}":[`, '1]}') },
    { name: 'numbers of 400 digits', text: filled(`${'9'.repeat(400)},`, '{"line_items":[', '1]}') },
    { name: 'text that cannot be stored', text: filled('"\\ud800",', '{"line_items":[', '1]}') },
    { name: 'one suspicious number among zeros', text: filled('0,', '{"a":1e5,"line_items":[', '0]}') },
    { name: 'a long text of emoji', text: filled('👩‍👩‍👧‍👦', '{"notes":"', '"}') },
    { name: 'escapes', text: filled('\\u00e9', '{"notes":"', '"}') },
    { name: 'spaces', text: filled(' ', '{', '}') },
    { name: 'no JSON', text: filled('{"a":', '', '') },
  ]
}

/** Bodies of this shape, filled to its limits: all fields wrong, all texts as long as allowed, all texts too long. */
export function nastyOfShape(shape: TSchema, bytes: number): NastyBody[] {
  const bodies = [
    { name: 'all fields wrong, lists at their bounds', text: JSON.stringify(fill(shape, () => ({}))) },
    { name: 'all fields of their type, lists and texts at their bounds', text: JSON.stringify(fill(shape, bound)) },
    { name: 'texts above their bounds', text: JSON.stringify(fill(shape, (leaf) => 'é'.repeat(Math.min(20_000, (leaf.maxLength ?? 0) * 2 + 2)), 40)) },
  ]
  return bodies.filter(({ text }) => Buffer.byteLength(text) <= bytes)
}

function fill(shape: Shape, leaf: (leaf: Shape) => unknown, mostItems = 500): unknown {
  if (shape.properties) return Object.fromEntries(Object.entries(shape.properties).map(([name, property]) => [name, fill(property, leaf, mostItems)]))
  if (shape.items) return Array.from({ length: Math.min(mostItems, shape.maxItems ?? mostItems) }, () => fill(shape.items!, leaf, mostItems))
  return leaf(shape)
}

function bound({ type, maxLength = 10 }: Shape): unknown {
  const types = [type ?? 'string'].flat()
  return types.includes('string') ? 'é'.repeat(Math.min(maxLength, 1_000)) : types.includes('boolean') ? true : 1
}
