// No statement reaches into an organisation without naming it.
import { describe, expect, test } from '@jest/globals'
import { filesOf, read, SOURCES } from './sources.ts'

/** The tables whose rows belong to an organisation, out of the migrations. */
const OWNED = new Set(filesOf('.sql').flatMap((path) => [...read(path).matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\n\)/g)])
  .filter(([, , columns = '']) => /^\s+org_id\s+uuid/m.test(columns)).map(([, name = '']) => name))

interface Sql {
  path: string
  /** The constant that holds it, or the statement's first words. */
  name: string
  text: string
}

// A statement is a literal that begins with a verb of SQL.
const LITERAL = /(?:(?:const|let) (\w+)[^=]*= [^'`]*?|text: *|\(\s*|=> *)(?:'([^'\n]*)'|`([^`]*)`)/g
const VERB = /^\s*(SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM)\b/

function statementsOf({ path, text }: { path: string; text: string }): Sql[] {
  return [...text.matchAll(LITERAL)].flatMap((match) => {
    const sql = match[2] ?? match[3] ?? ''
    if (!VERB.test(sql)) return []
    const above = text.slice(0, match.index + match[0].indexOf(sql))
    return [{ path, name: match[1] ?? /.*\bconst (\w+)/s.exec(above)?.[1] ?? '', text: sql }]
  })
}

const STATEMENTS = SOURCES.filter(({ path }) => path.startsWith('models/')).flatMap(statementsOf)
// A table that is put into the text, such as that of a kind of documents, may be an organisation's.
const touched = ({ text }: Sql) => [...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+|\$\{)/g)].map(([, name = '']) => name)
  .filter((name) => name === '${' || OWNED.has(name))
const scoped = ({ text }: Sql) => /\borg_id = (\$\d|'\$\{orgId\}')/.test(text)
// The relay carries the deliveries of all organisations; its rows still meet only rows of their own.
const RELAY = ['models/attempt.ts', 'models/circuit.ts', 'models/delivery.ts', 'models/queue.ts', 'models/recurring-queue.ts', 'models/processes.ts', 'models/e-invoice-queue.ts']
const relayed = ({ path, text }: Sql) => RELAY.includes(path) && /\borg_id = \w+\.org_id/.test(text)

// What is read across organisations, and why that is right.
const ACROSS: Record<string, string> = {
  'models/email.ts WITH_PDF': 'the sweep of files looks at those of every organisation',
  'models/after-restore.ts SESSIONS': 'after a restore, the links of all invitations are distrusted',
  'models/after-restore.ts MAILS': 'after a restore, the mails of all organisations are distrusted',
  'models/after-restore.ts MARKED': 'after a restore, the mails of all organisations that are distrusted are named',
  'models/skipped-numbers.ts ORGANIZATIONS': 'after a restore, numbers of every organisation are skipped',
  'models/skipped-numbers.ts LAST_TIME': 'after a restore, an operator is told what is lost of all',
  'models/issued-access.ts OF_TOKEN': 'an operator revokes a token by its id',
  'models/token.ts TOKEN_HOLDER': 'a token is what names the organisation',
  'models/password-reset.ts ORGANIZATION_OF': 'a person gets mail of one of the organisations that they belong to',
  'models/oauth-consent.ts ORGANIZATIONS': 'an app acts in the organisations that the person has chosen',
  'models/oauth-consent.ts LOCK_MEMBERSHIPS': 'a person chooses among the organisations that they belong to',
  'models/oauth-consent.ts CHOICES': 'a person chooses among the organisations that they belong to',
  'models/oauth-consent.ts REMEMBERED': 'a person is not asked again what they have allowed in their organisations',
  'models/oauth-consent.ts LISTED': 'a person sees what they have allowed in their organisations',
  'models/oauth-grant.ts INTROSPECTED': 'an app sees in which organisations its token can be used',
  'models/session.ts ORGANIZATIONS_OF': 'a person sees to which organisations they belong',
  'models/known-secrets.ts TOKEN_HASHES': 'a made-up token is told from one of any organisation',
  'models/waiting-deliveries.ts COUNT_WAITING': 'operators see how much waits in all',
  'models/financial-years.ts WITHOUT_NEXT_YEAR': 'the nightly housekeeping looks for the organisations to open',
  'models/event-retention.ts WITH_OLD': 'the worker looks for the organisations whose events are older than they are kept',
  'models/overdue.ts anyDueOf': 'the nightly sweep looks for the organisations to open',
  'models/reminder.ts TO_REMIND': 'the sweep looks for the organisations whose reminders are due',
  'models/operations.ts READ': 'operators see how old the whole outbox is',
  'models/conversion.ts WITHOUT_DOCUMENT': 'the doctor looks for conversions that were never begun, of any organisation',
  'models/conversion.ts REMOVE_OLD': 'the worker removes what ended longer ago than it is kept',
  'models/webhook.ts REMOVE_DELETED': 'the worker removes endpoints of anybody that were deleted long ago',
  'models/webhook.ts SOME_SECRETS': 'the doctor tries whether secrets can be read, of any organisation',
  'models/processes.ts SCHEDULED': 'the doctor compares the schedules of all with the open workflows',
  'models/traces.ts OF_BATCH': 'the relay starts batches of any organisation',
  'models/reseal.ts SEALED_ENDPOINTS': 'an operator seals the secrets of all endpoints anew',
  'models/email.ts LEFT': 'the worker looks for mails to be sent',
  'models/email.ts GIVE_UP': 'the worker gives up mails that are too late',
  'models/email.ts OLD': 'the housekeeping removes what is older than it is kept',
  'models/e-invoice-queue.ts QUEUE_LOST': 'the worker looks for e-invoices of anybody whose workflow is gone',
  'models/sandbox-e-invoice.ts ADD': 'the row carries the organisation',
  'models/request.ts REMOVE_OLD': 'the worker removes what is older than it is kept',
  'models/request.ts WRITE': 'the rows carry the organisation',
  'models/reseal.ts SEALED_TEXTS': 'an operator seals the credentials of all branches anew',
  'models/attachment-sweep.ts BEFORE': 'the worker compares all attachments with the files of the store',
  'models/bulk.ts LEFT': 'the worker looks for bulks that a crash left',
  'models/bulk.ts DELETE_OLD': 'the housekeeping deletes what is older than it is kept',
  'models/circuit.ts MAKE': 'the endpoints are those of attempts that have just ended',
  'models/delivery.ts UNFINISHED': 'the relay looks for batches that a crash left',
  'models/webhook.ts EVENT': 'a part of the condition of a list, whose rows are of one organisation, and the event of the same',
  'models/taking-up.ts RELEASE_LADDERS': 'after a loss of the Temporal server, every delivery that waited in a workflow waits in the queue again',
  'models/taking-up.ts QUEUE_E_INVOICES': 'after a loss of the Temporal server, every e-invoice under way gets its workflow again',
  'models/taking-up.ts SOONEST': 'after a loss of the Temporal server, every schedule gets its workflow again',
  'models/taking-up.ts SIGNAL': 'the rows carry the organisation',
  'models/recurring-queue.ts OVERDUE': 'the worker looks for schedules of anybody that should have run',
  'models/recurring-queue.ts OPEN': 'an operator has the workflow of every schedule started anew',
  'models/recurring-queue.ts ACTIVE': 'after a loss of the Temporal server, every schedule gets its workflow again',
  'models/unit-of-work.ts insert': 'the rows carry the organisation of the open books',
}

test('the migrations have tables of organisations, and the models ask them', () => {
  expect(OWNED.size).toBeGreaterThan(20)
  expect(STATEMENTS.length).toBeGreaterThan(40)
})

test('every statement on them names the organisation, but for a few with a reason', () => {
  const loose = STATEMENTS.filter((statement) => touched(statement).length > 0 && !scoped(statement) && !relayed(statement))
    .map(({ path, name }) => `${path} ${name}`)
  expect([...new Set(loose)].sort()).toEqual(Object.keys(ACROSS).sort())
})

describe('SQL is written in models and reports alone', () => {
  // What concerns no row of anybody's books: the notification of the relay.
  const ELSEWHERE = ['api/waker.ts']
  test.each(['api', 'commands', 'activities', 'gateways', 'domain', 'workflows'])('%s', (room) => {
    const found = SOURCES.filter(({ path }) => path.startsWith(`${room}/`) && !ELSEWHERE.includes(path)).flatMap(statementsOf)
    expect(found.map(({ path, name }) => `${path} ${name}`)).toEqual([])
  })

  test.each(ELSEWHERE)('%s asks no table of an organisation', (path) => {
    const asked = SOURCES.filter((source) => source.path === path).flatMap(statementsOf)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.flatMap(touched)).toEqual([])
  })
})

test('a finder that takes a bare connection asks nothing of an organisation, but for those with a reason', () => {
  const known = ['findTokenHolder', 'findPartnerOfKey', 'findOrganizationOfPartner', 'findOrganizationByRef', 'findOrganization', 'findOrganizationFacts',
    // Of persons, who belong to organisations and not to one.
    'findPersonByEmail', 'findSession', 'findSessions', 'findOrganizationsOf', 'countSignIn', 'findResetRequests', 'findUserOfPerson', 'findOAuthHolder',
    // Of apps, which belong to no organisation's books.
    'findClient',
    // Of the installation.
    'installationOf']
  const finder = /export (?:async )?function (find\w+|count\w+|read\w+|with\w+|\w+Of)\s*(?:<[^>]*>+)?\(\s*\w+: (Connection|Database|Transaction)\b/g
  const bare = SOURCES.filter(({ path }) => path.startsWith('models/') && path !== 'models/find.ts')
    .flatMap(({ path, text }) => [...text.matchAll(finder)].map(([, name = '']) => (known.includes(name) ? name : `${path} ${name}`)))
  expect(bare.sort()).toEqual(known.sort())
})

// test/models/find.test.ts holds these to the organisation.
test("nobody but the finders and the associations has Sequelize's own models", () => {
  const users = SOURCES.filter(({ path, text }) => !path.startsWith('test/') && /\bsequelizeModelOf\b/.test(text)).map(({ path }) => path)
  expect(users.sort()).toEqual(['models/association.ts', 'models/find.ts', 'models/model.ts'])
})
