// What the runbooks promise of their commands, and what their placeholders stand for where a section means one of its own.
import type { Command } from './runbook-commands.ts'
import type { Places } from './runbook-scene.ts'

/** Commands that go on until they are interrupted, and what they say when they work. */
export const STARTED = [
  { matches: /^npm start$/, said: /Bahi is ready after/ },
  { matches: /npm run codec/, said: /Ctrl-C stops it/ },
  { matches: /npm run worker/, said: /worker started/ },
]

export function valuesIn({ section, text }: Command, places: Places): Places {
  const of = (values: Record<string, string | undefined>) => values as Places
  if (section === 'Circuits') return of({ endpoint_id: places.open_endpoint_id })
  if (section === 'Abandoning a delivery' || section === 'Encrypted histories') return of({ delivery_id: places.other_delivery_id })
  if (section === 'Conversions' && text.includes('list')) return of({ source_id: places.converted_id })
  if (section === 'Conversions' && text.includes('metadata')) return of({ estimate_id: places.converted_id })
  if (section === 'A changed key') return of({ workflow_id: `recurring/${places.schedule_id}` })
  return {}
}

/** The doctor exits with 1 where anything is stuck, which may be so after each of these troubles. */
export const EXIT_CODES = ({ text }: Command): number[] => (text.includes('npm run doctor') ? [0, 1] : [0])

const ROW = /^\s*(Running|Completed|Failed|Terminated|Canceled)\s+\S+/m
const ROWS = /^\([1-9]\d* rows?\)$/m

export function promiseOf({ text, section }: Command): RegExp {
  const own = PROMISES.find(([part, in_]) => text.includes(part) && (in_ === undefined || in_ === section))
  if (own) return own[2]
  if (text.includes('workflow list')) return ROW
  if (/npm run sql[\s\S]*\bUPDATE\b/.test(text)) return /^UPDATE: 1 row$/m
  if (text.startsWith('npm run sql')) return ROWS
  throw new Error(`nothing says what this shows: ${text}`)
}

const DOCTOR = /^Nothing is stuck\.$|^(STUCK |starting|notice) {2}\S[\s\S]*\n {8}> /m
const POLLERS = /UNVERSIONED {2}(activity|workflow) +(bahi )?\d+@\S+/

// A part of a command, its section where another has the same, and what it shows.
const PROMISES: [part: string, section: string | undefined, shown: RegExp][] = [
  ['--type progress', 'Seeing the next attempt', /\{"attempt":7,"attempts":7,"nextAttemptAt":"20\d\d-[^"]*Z","state":"RETRYING"\}/],
  ['--type progress', 'Bulks', /"state":"SUSPENDED","succeeded":\d+,"total":1000/],
  ['--type state', undefined, /"nextRunAt":"2030-01-31T03:30:00.000Z"/],
  ['metadata', 'Seeing the next attempt', /RETRYING: attempt 7 of 7, next at 20\d\d-/],
  ['metadata', 'Conversions', /made:\s+- SALES_ORDER [0-9a-f-]{36}/],
  ['--name retryNow --reason', undefined, /Started batch for job ID: \S+/],
  ['workflow signal', undefined, /Signal workflow succeeded/],
  ['workflow cancel', undefined, /Canceled workflow/],
  ['workflow terminate', undefined, /Workflow terminated/],
  ['workflow start', undefined, /Running execution:\s+WorkflowId +\S+/],
  ['workflow describe', 'E-invoices', /Type +registerEInvoice/],
  ['workflow describe', 'A schedule that does not run', /Type +recurringSchedule/],
  ['workflow show', 'Encrypted histories', /WorkflowExecutionCompleted/],
  ['workflow show', 'A workflow that cannot go on', /WorkflowTaskFailed[\s\S]*encrypted with the key/],
  ['npm run --silent temporal -- workflow show', 'A changed key', /^[0-9a-f]{8}$/m],
  // Five failures take one to two minutes; test/workflows/doctor.test.ts waits for them.
  ['TemporalReportedProblems', undefined, /$/],
  ['schedule trigger', undefined, /Trigger request sent/],
  ['schedule toggle', undefined, /$/],
  ['schedule describe', undefined, /NextRunTime +\S+ hours? from now/],
  ['schedule list', undefined, /housekeeping\/Asia\/Kolkata[\s\S]*reconcile-schedules|reconcile-schedules[\s\S]*housekeeping\/Asia\/Kolkata/],
  ['task-queue describe', undefined, POLLERS],
  ['doctor -- --json', undefined, /"stuck": (true|false),\s+"findings": \[\s+\{\s+"check": "[^"]+",\s+"severity": "(stuck|starting|notice)",\s+"problem": /],
  ['ENCRYPTION_KEY=<new> npm run doctor', undefined, /STUCK {3}encryption key: /],
  ['npm run doctor', undefined, DOCTOR],
  ['npm run after-restore', undefined, /^Skipped [1-9]\d* numbers of [1-9]\d* organisations/m],
  // What of these was begun again since Temporal was lost depends on the moment.
  [`StartTime > '<time>'`, undefined, /$/],
  ['revoke --org', undefined, /[1-9]\d* tokens are valid\. Nothing was revoked; --yes revokes them\./],
  ['npm run token -- revoke --created-before', undefined, /0 tokens were revoked\./],
  ['npm run partner-key -- revoke --created-before', undefined, /0 keys were revoked\./],
  ['npm run token -- list', undefined, /^[0-9a-f]{8}-[0-9a-f-]{27} /m],
  ['npm run token -- revoke', undefined, / is revoked since 20.*Z\./],
  ['npm run partner-key -- list', undefined, /^[0-9a-f]{8}-[0-9a-f-]{27} /m],
  ['npm run partner-key -- revoke', undefined, / is revoked since 20.*Z\./],
  ['npm run reconcile -- --anew', undefined, /^[1-9]\d* recurring schedules started anew, [3-9] schedules of Temporal written anew\.$/m],
  ['npm run reconcile', undefined, /^[1-9]\d* active schedules signalled\.$/m],
  ['npm run migrate', undefined, /The schema is up to date\./],
  ['npm run audit', undefined, /The books are in order\./],
  ['npm run codec', undefined, /decrypts what was encrypted with the keys [0-9a-f]{8}/],
  ['npm run reseal', undefined, /\d+ secrets .* were encrypted with the first key; \d+ were already/],
  ['npm start', undefined, /Bahi is ready after/],
  ['rm -r .data/temporal', undefined, /$/],
]

/** Commands within sentences that have more than a name, and what they show. */
export const IN_SENTENCES: Record<string, RegExp> = {
  'npm run temporal -- schedule describe --schedule-id reconcile-schedules': /NextRunTime +\S+ hours? from now/,
  [`npm run temporal -- workflow list --query "WorkflowType = 'recurringSchedule' AND ExecutionStatus = 'Running' AND StartTime < '<time of the upgrade>'"`]: ROW,
  'npm run temporal -- schedule describe --schedule-id bahi-installation': /bahi-installation\/[0-9a-f-]{36}\/\d+\/\d+\//,
  'npm run sql -- "SELECT pg_terminate_backend(4711)"': /^pg_terminate_backend\n-+\nt\n\(1 row\)$/m,
  'npm run sql -- "SELECT pg_is_in_recovery()"': /^pg_is_in_recovery\n-+\nf\n\(1 row\)$/m,
  'npm run audit --silent -- --hledger': /^\d{4}-\d\d-\d\d .*Invoice INV-/m,
  'WORKER_QUEUES=webhooks npm run worker': /worker started/,
  'WORKER_QUEUES=documents npm run worker': /worker started/,
  'npm run bundle -- FILE': /workflows\.js/,
}

/** Sections whose blocks do not run in this test, and why. */
export const SECTIONS_NOT_RUN: Record<string, string> = {
  'The roles in PostgreSQL': 'needs a server of its own; test/operations/backups.test.ts runs it',
  'To a point in time': 'needs a server of its own; test/operations/backups.test.ts runs it',
  'By a dump': 'needs the programs of PostgreSQL; test/operations/backups.test.ts runs it',
}

/** Commands within sentences that do not run in this test, and why. */
export const NOT_RUN: Record<string, string> = {
  'temporal --address ADDRESS --codec-endpoint URL ...': 'a program of the reader; npm run temporal calls it',
  'psql "$DATABASE_URL"': 'a program of the reader',
  'temporal workflow start': 'a mention',
  'temporal worker deployment set-current-version': 'a mention of what is not used',
  'ssh -L 8234:127.0.0.1:8234 <host>': 'needs another machine',
  'docker compose stop api worker': 'needs Docker',
  'docker compose up --detach temporal-ui codec': 'needs Docker',
  'docker compose stop temporal-ui codec': 'needs Docker',
  'docker compose exec worker node bin/doctor.ts': 'needs Docker',
  'docker compose config --resolve-image-digests': 'needs Docker',
  'temporal operator namespace describe': 'what a container of the compose file runs',
  'npm ci --omit=dev': 'installs packages',
  'npm run after-restore -- --nothing-lost': 'for a restored database; test/operations/restores.test.ts runs it',
  'npm run after-restore -- --take-namespace': 'for a database in the place of another one; test/workflows/namespace.test.ts runs it',
  'npm run reconcile -- --anew': 'a block has it too, and is run',
  'node --version': 'says which Node the machine has',
  'node api/server.ts': 'needs Node 24 on PATH; npm run api is the same',
  'node worker/worker.ts': 'needs Node 24 on PATH; npm run worker is the same',
  'node test/replay/record.ts': 'writes recorded histories into the checkout',
  'npm run bundle -- /tmp/last.js': 'the same as npm run bundle -- FILE',
  'UPGRADE_FROM=/tmp/last.js npm test -- test/workflows/upgrades.test.ts': 'a run of tests',
  'docker compose run --rm --no-deps worker node bin/after-restore.ts --take-namespace': 'needs Docker',
  'docker compose run --rm --no-deps --entrypoint temporal temporal-namespace workflow ...': 'needs Docker',
  'npm run temporal -- workflow ...': 'stands for the commands of the blocks',
  'npm run bench -- --only growth --quick': 'a measurement',
  'promtool test rules': 'needs Prometheus',
  'npm run reseal -- --lost-key': 'ends what the installation has encrypted; test/api/reseal.test.ts runs it',
}

/** Blocks that are no commands. */
export const SHOWN_BLOCKS = [
  ['docs/running.md', 'text'], // what a migration says while it waits
  ['docs/running.md', 'sql'], // the roles of a new server, which its superuser makes
  ['docs/running.md', 'yaml'], // the configuration of Prometheus
]

/** The checks of the doctor that find something in the scene, and advise a command. */
export const ADVISED = [
  'conversions', 'e-invoices that were not looked at', 'e-invoices whose portal is unavailable', 'mails that wait', 'open circuits', 'overdue deliveries', 'reminders', 'schedules',
]
