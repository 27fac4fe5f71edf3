// The machines of customers that webhooks are posted to: guarded against being turned on ourselves.
import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import type { Outcome } from '../domain/delivery.ts'
import { fault } from '../domain/faults.ts'
import { ask, BlockedAddress } from './exchange.ts'
import { addressIn, createGuard, type GuardOptions } from './guard.ts'

export interface ReceiverOptions extends GuardOptions {
  /** For connecting and answering together. */
  timeoutSeconds: number
  /** Idle connections are kept this long for the next webhook. */
  keepAliveMs?: number
}

export interface Post {
  url: string
  body: Buffer
  headers: Record<string, string>
}

export interface Receiver {
  /**
   * Refuses a URL that webhooks may not be sent to, at registration. A name that does not resolve now is let through,
   * since it is checked again whenever it is called. Throws Fault validation.invalid_value, field `url`.
   */
  check(url: string): Promise<void>
  /** Makes one attempt. Never throws for what the receiver does; whatever comes of it is the Outcome. */
  post(post: Post): Promise<Outcome>
  close(): void
}

const KEEP_ALIVE_MS = 15_000
const IDLE_SOCKETS = 64
// The registration waits in a transaction; a name server that is slower is asked again when the name is called.
const LOOKUP_AT_REGISTRATION_MS = 1_000

export function createReceiver(options: ReceiverOptions): Receiver {
  const { mayCall, whyNot } = createGuard(options)
  const agents = {
    'http:': new http.Agent(agentOptions(options)),
    'https:': new https.Agent(agentOptions(options)),
  }

  // Node asks this for the addresses of a name when it connects, and connects to nothing but what it answers: there is
  // no second look-up that could answer differently. One special address among several refuses them all.
  function guardedLookup(protocol: string) {
    return (hostname: string, asked: LookupOptions, answer: LookupAnswer): void => {
      resolve(hostname, { ...asked, all: true }, (error, addresses) => {
        if (error) return answer(error, [])
        const special = addresses.find(({ address }) => !mayCall(address, protocol))
        if (special) return answer(new BlockedAddress(special.address), [])
        if (asked.all) return answer(null, addresses)
        return answer(null, addresses[0]!.address, addresses[0]!.family)
      })
    }
  }
  const lookups = { 'http:': guardedLookup('http:'), 'https:': guardedLookup('https:') }

  return {
    async check(text) {
      const url = URL.canParse(text) ? new URL(text) : null
      const refusal = url ? whyNot(url) : 'This is not a URL.'
      if (refusal !== null) throw fault('validation.invalid_value', { field: 'url', message: refusal })
      if (!url || addressIn(url) !== null) return
      const special = (await addressesOf(url.hostname)).find((address) => !mayCall(address, url.protocol))
      if (special === undefined) return
      const message = `${url.hostname} leads to ${special}, which is not an address that is called.`
      throw fault('validation.invalid_value', { field: 'url', message })
    },

    async post({ url: text, body, headers }) {
      if (!URL.canParse(text)) return blocked('This is not a URL.')
      const url = new URL(text)
      // The settings may have changed since the registration, and Node asks no look-up for a literal address.
      const refusal = whyNot(url)
      if (refusal !== null) return blocked(refusal)
      const protocol = url.protocol as keyof typeof agents
      return ask({
        url,
        body,
        headers,
        agent: agents[protocol],
        lookup: lookups[protocol],
        timeoutMs: options.timeoutSeconds * 1_000,
      })
    },

    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

type LookupAnswer = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

function agentOptions({ keepAliveMs = KEEP_ALIVE_MS }: ReceiverOptions): https.AgentOptions {
  return { keepAlive: true, maxFreeSockets: IDLE_SOCKETS, timeout: keepAliveMs, scheduling: 'lifo' }
}

function blocked(error: string): Outcome {
  return { kind: 'blocked', statusCode: null, error, responseBody: null, durationMs: 0 }
}

async function addressesOf(hostname: string): Promise<string[]> {
  return new Promise((answer) => {
    const late = setTimeout(() => answer([]), LOOKUP_AT_REGISTRATION_MS)
    resolve(hostname, { all: true }, (error, addresses) => {
      clearTimeout(late)
      answer(error ? [] : addresses.map(({ address }) => address))
    })
  })
}
