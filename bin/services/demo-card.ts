// The file demo.json of a local run: the addresses of its parts, and the keys to try it.
import { join } from 'node:path'
import { readJson, writeWhole } from './run-record.ts'

/** The fields of decisions §9, in their order; null if the part does not exist. */
export interface DemoCard {
  base_url: string
  docs_url: string
  console_url: string | null
  temporal_ui_url: string | null
  temporal_address: string
  mailbox_url: string | null
  database_url: string
  partner_key: string
  organization: { org_id: string; name: string }
  token: string
  /** The owner of the demonstration organisation, who can sign in; null in the file of an earlier version. */
  user: { email: string; password: string } | null
}

export type DemoKeys = Pick<DemoCard, 'partner_key' | 'organization' | 'token'> & {
  user: NonNullable<DemoCard['user']>
}

/** The keys of an earlier run if they are still valid; otherwise null. */
export async function keptKeys(
  dataDir: string,
  baseUrl: string,
): Promise<Pick<DemoCard, 'partner_key' | 'organization' | 'token' | 'user'> | null> {
  const card = readJson<Partial<DemoCard>>(fileOf(dataDir))
  if (!card?.token || !card.partner_key || !card.organization) return null
  const answer = await fetch(`${baseUrl}/whoami`, { headers: { authorization: `Bearer ${card.token}` } })
  await answer.body?.cancel()
  // Only 401 means that the database is another one; other errors are temporary.
  if (answer.status === 401) return null
  return { partner_key: card.partner_key, organization: card.organization, token: card.token, user: card.user ?? null }
}

/** The card of the run with this data folder; null if there is none. */
export const readDemoCard = (dataDir: string): DemoCard | null => readJson<DemoCard>(fileOf(dataDir))

export function writeDemoCard(dataDir: string, card: DemoCard): string {
  writeWhole(fileOf(dataDir), card)
  return fileOf(dataDir)
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'demo.json')
}
