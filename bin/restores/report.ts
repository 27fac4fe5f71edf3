// Prints what was done after a restore, and what is to be told to whom.
import type { AfterRestore } from '../../commands/restores/after-restore.ts'
import type { LostTime } from '../../commands/restores/skip-numbers.ts'

interface Report extends AfterRestore {
  lost: LostTime
  /** Where revocations and suspensions since the backup were read from. */
  sources: string[]
}

/** Organisations, mails and changes that are named one by one; `--json` has all. */
const NAMED = 50

export function printReport(report: Report, asJson: boolean): void {
  console.log(asJson ? JSON.stringify(report, null, 2) : linesOf(report).join('\n'))
}

function linesOf(report: Report): string[] {
  const { lost, organizations, mails, sessions, repeated, unknown, sources } = report
  const numbers = organizations.flatMap(({ skipped }) => skipped).reduce((sum, { numbers }) => sum + numbers, 0)
  const bulks = organizations.reduce((sum, { bulks }) => sum + bulks, 0)
  const schedules = organizations.reduce((sum, { schedules }) => sum + schedules, 0)
  const receivers = organizations.filter(({ endpoints }) => endpoints > 0).length
  const eInvoices = organizations.filter(({ e_invoicing }) => e_invoicing)
  return [
    `What was written between ${lost.from.toISOString()} and ${lost.to.toISOString()} is lost.`,
    '',
    `Skipped ${numbers} numbers of ${organizations.length} organisations, which are in their registers of gaps:`,
    ...named(organizations, ({ org_id, name, skipped }) => {
      const of = skipped.map(({ document, numbers, last }) => `${document} ${numbers} (to ${last})`)
      return `${org_id} ${name}: ${of.join(', ') || 'none'}`
    }),
    `Ended ${sessions} sessions: persons sign in again. Passwords that were set since are the earlier ones again.`,
    sources.length > 0
      ? `Of ${sources.join(', ')}: made ${repeated.length} revocations and suspensions again.`
      : 'No security log: tokens and partner keys that were revoked since are valid again (npm run token -- list,',
    ...(sources.length > 0
      ? []
      : ['npm run partner-key -- list), and organisations that were suspended since are active.']),
    ...named(repeated, (change) => JSON.stringify(change)),
    ...(unknown.length > 0 ? ['Of tokens, keys and organisations that the backup does not have:'] : []),
    ...named(unknown, (change) => JSON.stringify(change)),
    `Marked ${mails.length} mails as UNKNOWN, which were to be sent at the time of the backup and probably were; send again what did not arrive:`,
    ...named(mails, ({ org_id, id }) => `${org_id} ${id}`),
    '',
    'Tell',
    `- callers: what was answered since ${lost.from.toISOString()} is lost, and has to be sent again. With its key it is carried`,
    '  out again, under another number. Tokens, organisations and endpoints made since are gone',
    '- readers of the change feed: those that had read further get 410 gone.cursor, and copy the books again',
    `- receivers of webhooks, of ${receivers} organisations: they may have heard of documents that do not exist. Secrets that were`,
    '  rotated since are the earlier ones again. A webhook that comes again has the X-Svc-Delivery that it had',
    ...(bulks > 0 ? [`- callers of bulks: ${bulks} that were under way go on, and create their rows again`] : []),
    ...(schedules > 0
      ? [
          `- owners of recurring schedules: the occurrences of ${schedules} that were due meanwhile run again, under new numbers`,
        ]
      : []),
    ...(eInvoices.length > 0
      ? [
          '- organisations with e-invoicing: e-invoices registered since are at the portal without a document here, and have to be cancelled there:',
        ]
      : []),
    ...named(eInvoices, ({ org_id, name, e_invoices }) => `${org_id} ${name} (${e_invoices} under way)`),
    '',
    'Now npm run audit; then start the workers and the API. Workflows in Temporal of what is lost end by themselves.',
  ]
}

function named<T>(all: T[], show: (one: T) => string): string[] {
  const more = all.length - NAMED
  return [...all.slice(0, NAMED).map((one) => `  ${show(one)}`), ...(more > 0 ? [`  and ${more} more (--json)`] : [])]
}
