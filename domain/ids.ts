// Checks the shape of ids.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True for the shape of a UUID, in any case. Other text cannot be an id, and is answered like an id that does not exist. */
export function isId(text: string): boolean {
  return UUID.test(text)
}
