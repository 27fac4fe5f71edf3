// The shape of ids.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True for the shape of a UUID; anything else can be no id of ours, and is answered as one that does not exist. */
export function isId(text: string): boolean {
  return UUID.test(text)
}
