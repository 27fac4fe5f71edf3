// What was done after a restore, and what is to be told to whom, as an operator reads it.
import type { AfterRestore, RestoredBooks } from '../../commands/restores/after-restore.ts'
import type { AccessChange } from '../../domain/restoration.ts'
import { onOneLine } from '../one-line.ts'
import type { LostTime } from '../../commands/restores/skip-numbers.ts'

interface Report extends AfterRestore {
  lost: LostTime
  /** Where revocations and suspensions since the backup were read from. */
  sources: string[]
}

/** All of it: a second run says nothing of what the first has done. */
export const reportText = (report: Report): string =>
  [...doneLines(report), '', 'Tell', ...toldLines(report), '', ...stillNamed(report.lost), '', ...NEXT].join('\n')

const NEXT = [
  'Keep this report: it cannot be had again. Now npm run audit; then start the workers and the API, and run npm run reconcile and npm run',
  'doctor. Workflows in Temporal of what is lost end by themselves.',
]

function doneLines({ lost, organizations, mails, sessions, repeated, unknown, sources }: Report): string[] {
  const numbers = organizations.flatMap(({ skipped }) => skipped).reduce((sum, { numbers }) => sum + numbers, 0)
  return [
    `What was written between ${lost.from.toISOString()} and ${lost.to.toISOString()} is lost.`,
    '',
    `Skipped ${numbers} numbers of ${organizations.length} organisations, which are in their registers of gaps:`,
    ...named(organizations, ({ org_id, name, skipped }) => {
      const of = skipped.map(({ document, numbers, last }) => `${document} ${numbers} (to ${last})`)
      return `${org_id} ${name}: ${of.join(', ') || 'none'}`
    }),
    `Ended ${sessions} sessions, all invitations and links to set a password, and what apps were allowed by OAuth: persons sign in and connect`,
    'their apps again, and owners invite again. Passwords that were set since are the earlier ones again.',
    ...(sources.length > 0
      ? [`Of ${sources.join(', ')}: made ${repeated.length} changes of access again.`]
      : [
          'No security log: organisations that were suspended since are active, members who were removed or got another role since are as',
          'they were, and tokens and partner keys that were revoked since are valid again. To revoke all of before, and issue new ones (a list of them without --yes):',
          `  npm run token -- revoke --created-before ${lost.to.toISOString()} --yes`,
          `  npm run partner-key -- revoke --created-before ${lost.to.toISOString()} --yes`,
        ]),
    ...named(repeated, changeInWords),
    ...(unknown.length > 0
      ? [
          'Not made again, because the backup does not have the token, key, app, organisation or member, or an organisation would be without',
          'an owner:',
        ]
      : []),
    ...named(unknown, changeInWords),
    `Marked ${mails.length} mails as UNKNOWN, which were to be sent at the time of the backup and probably were; send again what did not`,
    'arrive:',
    ...named(mails, ({ org_id, id }) => `${org_id} ${id}`),
  ]
}

function toldLines({ lost, organizations }: Report): string[] {
  const receivers = organizations.filter(({ endpoints }) => endpoints > 0).length
  const of = (kind: 'bulks' | 'conversions' | 'schedules' | 'payment_links', ...lines: string[]) => {
    const some = organizations.filter((one) => one[kind] > 0)
    return some.length > 0 ? [...lines, ...named(some, (one) => `${one.org_id} ${one.name}: ${one[kind]}`)] : []
  }
  return [
    `- callers: what was answered since ${lost.from.toISOString()} is lost, and has to be sent again. With its key it is carried`,
    '  out again, under another number. Tokens, organisations, members and endpoints since are gone. What was changed, paid, voided',
    '  or deleted since is as it was',
    '- readers of the change feed: those that had read further get 410 gone.cursor, and copy the books again',
    `- receivers of webhooks, of ${receivers} organisations: they may have heard of documents that do not exist. Endpoints that were`,
    '  disabled, deleted or moved since, and secrets that were rotated, are the earlier ones again. A webhook that comes again has the',
    '  X-Svc-Delivery that it had',
    '- customers: mails since, with their PDFs, may be of documents that do not exist, or that now get another number. Reminders',
    '  until the failure are not sent again; those of the next two days are sent on the third',
    '- whoever uses attachments: files that were uploaded since have no row here, and are removed by a worker after a week; those that',
    '  were deleted since are missing, which npm run audit names once a worker has looked',
    ...of('bulks', '- callers of bulks that were under way: they go on, and create their rows again:'),
    ...of(
      'conversions',
      '- callers of conversions that were under way: a repeat of the call makes the documents again:',
    ),
    ...of(
      'schedules',
      '- owners of recurring schedules with occurrences that were due meanwhile: they run again, under new numbers:',
    ),
    ...of(
      'payment_links',
      '- payers by payment links: those of invoices since lead to nothing here; schedules with such links:',
    ),
    ...eInvoices(organizations),
  ]
}

function eInvoices(organizations: RestoredBooks[]): string[] {
  const some = organizations.filter(({ e_invoicing }) => e_invoicing)
  if (some.length === 0) return []
  return [
    '- organisations with e-invoicing: e-invoices registered since are at the portal without a document here, and have to be cancelled',
    '  there. IRNs that were cancelled since look registered here: void their documents again:',
    ...named(some, ({ org_id, name, e_invoices }) => `${org_id} ${name} (${e_invoices} under way)`),
  ]
}

/** Where an operator finds what the books no longer have. */
const stillNamed = ({ from }: LostTime): string[] => [
  'What is lost is still named by the log of the API (org_id, route and status of each call), by the mail provider (the arguments',
  'org_id and email_id), and by Temporal as long as its namespace keeps what has ended: mails, e-invoices, and webhooks with their records:',
  `  npm run temporal -- workflow list --query "WorkflowType IN ('sendDocumentEmail', 'registerEInvoice', 'webhookDispatch') AND StartTime > '${from.toISOString()}'"`,
]

const named = <T>(all: T[], show: (one: T) => string): string[] => all.map((one) => `  ${onOneLine(show(one))}`)

function changeInWords(one: AccessChange): string {
  switch (one.change) {
    case 'TOKEN_REVOKED':
      return `${one.org_id} the token ${one.id} is revoked since ${one.time}`
    case 'PARTNER_KEY_REVOKED':
      return `the partner key ${one.id} is revoked since ${one.time}`
    case 'OAUTH_CLIENT_REVOKED':
      return `the OAuth client ${one.id} is revoked since ${one.time}`
    case 'OAUTH_CONSENT_WITHDRAWN':
      return `the OAuth consent ${one.id} is withdrawn since ${one.time}`
    case 'ORGANIZATION_STATUS':
      return `${one.org_id} is ${one.status} since ${one.time}`
    case 'MEMBER':
      return `${one.org_id} the member ${one.id} is ${one.role === null ? 'removed' : one.role} since ${one.time}`
  }
}
