// Plays the provider's event webhook: reports on a message of the mailbox, signed with a key of its own.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../../gateways/mail/events.ts'
import type { KeptMessage } from './store.ts'

/** The reports that can be played, by the provider's names. */
export const PLAYED = ['delivered', 'open', 'deferred', 'bounce', 'dropped', 'spamreport'] as const
export type Played = (typeof PLAYED)[number]

const WORDS: Partial<Record<Played, string>> = {
  bounce: '550 5.1.1 The mailbox does not exist.',
  dropped: 'Bounced Address',
  deferred: '451 4.7.1 Try again later.',
}

export interface EventPlayer {
  /** In base64 of DER: what MAIL_EVENTS_PUBLIC_KEY is set to. */
  publicKey: string
  /** Sends the report on every recipient of the message, or on one; returns the status of the answer. Throws where nobody answers. */
  play(message: KeptMessage, event: Played, address?: string): Promise<number>
}

/** The player of a folder, which keeps its key. `eventsUrl` is where reports are sent. */
export function openEventPlayer(folder: string, eventsUrl: () => string): EventPlayer {
  const key = keptKey(folder)
  return {
    publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
    async play(message, event, address) {
      const recipients = [...message.to, ...message.cc, ...message.bcc].filter((one) => !address || one === address)
      const seconds = Math.floor(Date.now() / 1000)
      const reports = recipients.map((email) => ({
        ...message.custom_args,
        email,
        event,
        timestamp: seconds,
        sg_event_id: randomBytes(16).toString('base64url'),
        sg_message_id: `${message.message_id}.mailbox`,
        ...(WORDS[event] ? { reason: WORDS[event] } : {}),
      }))
      const body = Buffer.from(JSON.stringify(reports))
      const timestamp = String(seconds)
      const answer = await fetch(eventsUrl(), {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          [TIMESTAMP_HEADER]: timestamp,
          [SIGNATURE_HEADER]: sign('sha256', Buffer.concat([Buffer.from(timestamp), body]), key).toString('base64'),
        },
        signal: AbortSignal.timeout(10_000),
      })
      await answer.body?.cancel()
      return answer.status
    },
  }
}

function keptKey(folder: string): KeyObject {
  const file = join(folder, 'events-key.pem')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (existsSync(file)) return createPrivateKey(readFileSync(file))
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  return privateKey
}
