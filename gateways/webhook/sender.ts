// Sends webhooks to the servers of customers, and refuses URLs that point into our own network.
import type { LookupAddress, LookupOptions } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIPv6 } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome } from '../../domain/delivery.ts'
import { fault } from '../../domain/faults.ts'
import { sendWebhookRequest, BlockedAddress, blockedMessage } from './http-post.ts'
import { addressIn, createGuard, notPublic, type GuardOptions } from './guard.ts'
import { canBePublic } from './host-names.ts'
import { createResolver, type NameResolver } from './resolver.ts'

/**
 * Whether a text is a URL as it is written. The parser drops spaces, tabs and line ends, and adds slashes that are missing: an
 * endpoint would then show another URL than the one that is called.
 */
const isWritten = (text: string) => URL.canParse(text) && !/[\s\p{Cc}]|^https?:(?!\/\/)/iu.test(text)

export interface WebhookSenderOptions extends GuardOptions {
  /** The time limit of a request: name look-up, connection and response together. */
  timeoutSeconds: number
  /** Idle connections are kept this long for the next webhook. */
  keepAliveMs?: number
  /** Name servers, as `address` or `address:port`; those of the machine when there are none. */
  dnsServers?: readonly string[]
  resolver?: NameResolver
}

export interface WebhookPost {
  /** The organisation, whose name look-ups at once are limited. */
  orgId: string
  url: string
  body: Buffer
  headers: Record<string, string>
}

export interface WebhookSender {
  /**
   * Refuses a URL that webhooks may not be sent to, at registration. A name that does not resolve now is accepted,
   * because it is checked again with every attempt. Throws Fault validation.invalid_value, field `url`.
   * Takes up to two seconds: no transaction may be open meanwhile.
   */
  check(url: string, orgId: string): Promise<void>
  /** Makes one attempt and returns its outcome. Never throws for what the receiver does. */
  post(post: WebhookPost): Promise<Outcome>
  close(): void
}

const KEEP_ALIVE_MS = 15_000
const IDLE_SOCKETS = 64
// The caller waits for it. A name whose look-up takes longer is looked up again with every attempt.
const LOOKUP_AT_REGISTRATION_MS = 2_000

/** Opens the connection pools and the name resolver. Throws an Error where a range in `allowCidrs` is invalid. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const guard = createGuard(options)
  const resolver = options.resolver ?? createResolver({ servers: options.dnsServers ?? [] })
  const agents = {
    'http:': new http.Agent(agentOptions(options)),
    'https:': new https.Agent(agentOptions(options)),
  }

  // Node calls this for the addresses of a name when it connects, and connects only to the addresses that it returns: there
  // is no second look-up that could return others.
  function guardedLookup(protocol: string, orgId: string) {
    return (hostname: string, { all }: LookupOptions, answer: LookupAnswer): void => {
      resolver.addressesOf(hostname, orgId).then(
        (found) => {
          const addresses = guard.toCall(hostname, found, protocol)?.map(withFamily)
          if (!addresses) answer(new BlockedAddress(hostname), [])
          else if (all) answer(null, addresses)
          else answer(null, addresses[0]!.address, addresses[0]!.family)
        },
        (error: Error) => answer(error, []),
      )
    }
  }

  /** The addresses of a name, or null when they are not known in time. */
  async function knownAddresses(hostname: string, orgId: string): Promise<string[] | null> {
    const found = resolver.addressesOf(hostname, orgId).catch(() => null)
    return Promise.race([found, delay(LOOKUP_AT_REGISTRATION_MS, null, { ref: false })])
  }

  async function refusalOf(url: URL, orgId: string): Promise<string | null> {
    const refusal = guard.whyNot(url)
    if (refusal !== null || addressIn(url) !== null) return refusal
    const { hostname, protocol } = url
    const addresses = await knownAddresses(hostname, orgId)
    if (addresses === null) return canBePublic(hostname) ? null : notPublic(hostname)
    if (guard.toCall(hostname, addresses, protocol) !== null) return null
    return canBePublic(hostname) ? blockedMessage(hostname) : notPublic(hostname)
  }

  return {
    async check(text, orgId) {
      const refusal = isWritten(text) ? await refusalOf(new URL(text), orgId) : 'This is not a URL.'
      if (refusal !== null) throw fault('validation.invalid_value', { field: 'url', message: refusal })
    },

    async post({ orgId, url: text, body, headers }) {
      if (!URL.canParse(text)) return blocked('This is not a URL.')
      const url = new URL(text)
      // The settings may have changed since the registration, and Node calls no look-up for a literal address.
      const refusal = guard.whyNot(url)
      if (refusal !== null) return blocked(refusal)
      const protocol = url.protocol as keyof typeof agents
      return sendWebhookRequest({
        url,
        body,
        headers,
        agent: agents[protocol],
        lookup: guardedLookup(protocol, orgId),
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

function agentOptions({ keepAliveMs = KEEP_ALIVE_MS }: WebhookSenderOptions): https.AgentOptions {
  return { keepAlive: true, maxFreeSockets: IDLE_SOCKETS, timeout: keepAliveMs, scheduling: 'lifo' }
}

function blocked(error: string): Outcome {
  return { kind: 'blocked', statusCode: null, error, responseBody: null, durationMs: 0 }
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIPv6(address) ? 6 : 4 })
