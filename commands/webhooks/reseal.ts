// Seals every secret anew under the first key of ENCRYPTION_KEY, so that an earlier key can be given up.
import type { Connection } from '../../models/connection.ts'
import { resealEndpoint, resealText, sealedEndpoints, sealedTexts, type SealedEndpoint } from '../../models/reseal.ts'
import { seal, unseal } from '../../models/sealed.ts'

export interface Resealed {
  /** Endpoints, branches and keys whose secrets were sealed under the first key already. */
  current: number
  resealed: number
  /** Those whose secrets no key of the ring opens, by their ids. */
  unreadable: string[]
}

const PAGE = 500

/**
 * Goes through the endpoints of every organisation. May be stopped, repeated, and run beside the service: a secret that is
 * rotated at the same time stays as the rotation wrote it. Former secrets that ended before `now` are left out.
 */
export async function resealSecrets(connection: Connection, ring: string, now: Date): Promise<Resealed> {
  const done: Resealed = { current: 0, resealed: 0, unreadable: [] }
  for (let after: SealedEndpoint | null = null; ; ) {
    const page: SealedEndpoint[] = await sealedEndpoints(connection, after, PAGE)
    for (const endpoint of page) await resealOne(connection, ring, { endpoint, now }, done)
    after = page.at(-1) ?? null
    if (after === null) break
  }
  const [first = ''] = ring.split(',')
  for (const one of await sealedTexts(connection)) {
    const text = openedBy(ring, one.sealed)
    if (text === null) done.unreadable.push(one.name)
    else if (openedBy(first, one.sealed) === null && (await resealText(connection, one, seal(ring, text))))
      done.resealed += 1
    else done.current += 1
  }
  return done
}

async function resealOne(
  connection: Connection,
  ring: string,
  { endpoint, now }: { endpoint: SealedEndpoint; now: Date },
  done: Resealed,
): Promise<void> {
  const former = endpoint.former_secrets.filter(({ until }) => Date.parse(until) > now.getTime())
  const secrets = [endpoint.secret_sealed, ...former.map(({ sealed }) => sealed)]
  const opened = secrets.map((sealed) => openedBy(ring, sealed))
  if (opened.some((text) => text === null)) return void done.unreadable.push(endpoint.id)
  const [first = ''] = ring.split(',')
  if (secrets.every((sealed) => openedBy(first, sealed) !== null)) return void (done.current += 1)
  const [secret, ...others] = opened.map((text) => seal(ring, text!))
  const after = {
    secret_sealed: secret!,
    former_secrets: former.map(({ until }, place) => ({ sealed: others[place]!, until })),
  }
  if (await resealEndpoint(connection, endpoint, after)) done.resealed += 1
  else done.current += 1
}

function openedBy(ring: string, sealed: string): string | null {
  try {
    return unseal(ring, sealed)
  } catch {
    return null
  }
}
