// Keeps the messages of the mailbox: one file for each, the oldest removed where there are too many.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SentMessage } from './mail-send.ts'

export interface KeptMessage extends SentMessage {
  received_at: string
}

export interface MessageStore {
  /** Keeps messages; they are on disk when it returns. */
  keep(messages: SentMessage[], receivedAt: Date): void
  /** All messages, newest first, one in memory at a time. */
  newestFirst(): AsyncGenerator<KeptMessage>
  find(messageId: string): KeptMessage | null
  clear(): void
}

export interface StoreLimits {
  messages: number
  bytes: number
}

const LIMITS: StoreLimits = { messages: 1_000, bytes: 500 * 1024 * 1024 }

/** Names sort by the order in which the messages arrived. */
interface Kept {
  name: string
  messageId: string
  bytes: number
}

/** Opens the store of a folder, with the messages of an earlier run. */
export function openStore(folder: string, limits: StoreLimits = LIMITS): MessageStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const kept: Kept[] = readdirSync(folder)
    .flatMap((name) => {
      const [, messageId] = /^\d{15}-\d{6}-([\w.-]+)\.json$/.exec(name) ?? []
      return messageId ? [{ name, messageId, bytes: statSync(join(folder, name)).size }] : []
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  let place = 0

  function removeOldest(): void {
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0)
    while (kept.length > 1 && (kept.length > limits.messages || bytes > limits.bytes)) {
      const oldest = kept.shift()!
      bytes -= oldest.bytes
      rmSync(join(folder, oldest.name), { force: true })
    }
  }

  return {
    keep(messages, receivedAt) {
      for (const message of messages) {
        place = (place + 1) % 1_000_000
        const time = String(receivedAt.getTime()).padStart(15, '0')
        const name = `${time}-${String(place).padStart(6, '0')}-${message.message_id}.json`
        const text = JSON.stringify({ ...message, received_at: receivedAt.toISOString() } satisfies KeptMessage)
        // A process that is killed leaves a temporary file and no half message.
        const temporary = join(folder, `${name}.tmp`)
        writeFileSync(temporary, text, { mode: 0o600 })
        renameSync(temporary, join(folder, name))
        kept.push({ name, messageId: message.message_id, bytes: Buffer.byteLength(text) })
      }
      removeOldest()
    },

    async *newestFirst() {
      for (const { name } of kept.toReversed()) {
        // A message that is removed meanwhile is left out.
        const text = await readFile(join(folder, name), 'utf8').catch(() => null)
        if (text !== null) yield JSON.parse(text) as KeptMessage
      }
    },

    find(messageId) {
      const found = kept.find((one) => one.messageId === messageId)
      return found ? (JSON.parse(readFileSync(join(folder, found.name), 'utf8')) as KeptMessage) : null
    },

    clear() {
      for (const { name } of kept.splice(0)) rmSync(join(folder, name), { force: true })
    },
  }
}
