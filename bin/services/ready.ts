// What a local run prints when it is ready, and writes into its demo.json: where its parts are, and the keys to try it.
import { join } from 'node:path'
import type { LocalRun } from '../../settings.ts'
import { type DemoKeys, writeDemoCard } from './demo-card.ts'
import type { Addresses } from './local-servers.ts'
import { secondsSince } from './steps.ts'

export function printReady(
  { local, begun }: { local: LocalRun; begun: number },
  origin: string,
  addresses: Addresses & { hasConsole: boolean },
  keys: DemoKeys,
): void {
  const { databaseUrl, temporalAddress, temporalUiUrl, codecUrl, mailboxUrl } = addresses
  const card = {
    base_url: `${origin}/api/public/v1`,
    docs_url: `${origin}/docs`,
    console_url: addresses.hasConsole ? `${origin}/console` : null,
    temporal_ui_url: temporalUiUrl,
    temporal_address: temporalAddress,
    mailbox_url: mailboxUrl,
    database_url: databaseUrl,
    partner_key: keys.partner_key,
    organization: { org_id: keys.organization.org_id, name: keys.organization.name },
    token: keys.token,
    user: keys.user,
  }
  const file = writeDemoCard(local.dataDir, card)
  console.log(`
  API            ${card.base_url}
  Documentation  ${card.docs_url}
  Console        ${card.console_url ? `${card.console_url} for ${card.user.email}, whose password is in ${file}` : '(it could not be built, see above)'}
  Temporal UI    ${card.temporal_ui_url ?? '(that of your own server)'}
  Codec          ${codecUrl} decrypts for the UI, and for the temporal CLI by --codec-endpoint
  Mailbox        ${mailboxUrl ?? '(mail goes to the provider of the settings)'}
  Demo           ${card.organization.name}: its token and the partner key are in ${file}
  Logs           ${join(local.dataDir, 'logs')}
  Try it         curl -H "Authorization: Bearer ${card.token}" ${card.base_url}/whoami

Bahi is ready after ${secondsSince(begun)}. Ctrl-C stops it.`)
}
