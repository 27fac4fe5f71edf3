// Makes ids: UUIDs of version 7, which sort in the order in which a process made them.
import { randomFillSync, randomInt } from 'node:crypto'
import { v7 } from 'uuid'

// Random bytes are drawn for many ids at once: a call for each would take most of its time.
const BYTES = 16
const random = new Uint8Array(BYTES * 256)
let next = random.length
// Counts the ids, so that those of one millisecond sort too.
let sequence = randomInt(2 ** 31)

export function newId(): string {
  if (next === random.length) {
    randomFillSync(random)
    next = 0
  }
  const bytes = random.subarray(next, (next += BYTES))
  sequence = (sequence + 1) | 0
  return v7({ random: bytes, seq: sequence })
}
