// `npm run sql -- "STATEMENTS"`, or `npm run sql < FILE`: runs SQL in one transaction, and prints what it returns and how much it changed.
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { databaseUrl } from './database-url.ts'
import { argumentsOf } from './options.ts'
import { csvLine, linesOf, type Answer } from './sql/answers.ts'

const USAGE = `Usage: npm run sql -- "STATEMENTS"     or     npm run sql < FILE
  --csv  prints the rows in CSV (npm run --silent sql -- --csv ... leaves out the lines of npm)`
// What ends a transaction, runs outside of one, or is not undone with it.
const LASTING =
  /\b(commit|end|vacuum|concurrently|call|do|database|system|tablespace|nextval|setval|dblink\w*|pg_\w+)\b/i
/** A table holds no more rows; CSV has all. */
const MAX_ROWS = 10_000

const { values, positionals } = argumentsOf({ csv: { type: 'boolean', default: false } }, USAGE)
const isComplete = positionals.length === 1 || (positionals.length === 0 && !process.stdin.isTTY)
const statements = positionals[0] ?? (isComplete ? await text(process.stdin) : '')
if (!isComplete || statements.trim() === '') {
  console.error(USAGE)
  process.exit(2)
}

const config = {
  connectionString: databaseUrl(),
  application_name: 'bahi sql',
  connectionTimeoutMillis: 5_000,
  // As the service: what waits for a lock for longer holds others up.
  lock_timeout: 10_000,
  // Every value as PostgreSQL writes it.
  types: { getTypeParser: () => String },
}
const client = new pg.Client(config)
// The reader of the output may close the pipe early: `npm run sql ... | head`.
process.stdout.on('error', () => process.exit())
client.on('notice', ({ severity, message }) => console.error(`${severity}: ${message}`))
await client.connect()
process.exitCode = await run(statements)
await client.end()

/** Several statements of one message are one transaction in PostgreSQL, unless they say otherwise themselves. */
function run(sql: string): Promise<0 | 1> {
  const kept = new Map<unknown, string[][]>()
  const query = new pg.Query({ text: sql, rowMode: 'array' } as pg.QueryArrayConfig)
  process.on('SIGINT', () => void (new pg.Client(config) as unknown as Cancelling).cancel(client, query))
  query.on('row', (row: unknown, answer: unknown) => {
    const isFirst = !kept.has(answer)
    const rows = kept.get(answer) ?? []
    kept.set(answer, rows)
    if (!values.csv && rows.length < MAX_ROWS) rows.push(row as string[])
    if (values.csv && isFirst) console.log(csvLine((answer as Answer).fields.map(({ name }) => name)))
    if (values.csv) console.log(csvLine(row as string[]))
  })
  return new Promise((resolve) => {
    query.on('error', (error) => {
      for (const line of complaint(error as pg.DatabaseError, sql)) console.error(line)
      resolve(1)
    })
    query.on('end', (answers: unknown) => {
      if (!values.csv) for (const answer of [answers].flat()) print(answer as Answer, kept.get(answer) ?? [])
      resolve(0)
    })
    client.query(query)
  })
}

interface Cancelling {
  cancel(client: pg.Client, query: unknown): void
}

function print(answer: Answer, rows: string[][]): void {
  for (const line of linesOf(answer, rows)) console.log(line)
}

function complaint({ severity, message, detail, hint, position }: pg.DatabaseError, sql: string): string[] {
  const before = position === undefined ? null : sql.slice(0, Number(position) - 1).split('\n')
  const line = before && sql.split('\n')[before.length - 1]!
  return [
    `${severity ?? 'ERROR'}: ${message}`,
    ...(before
      ? [`LINE ${before.length}: ${line}`, `${' '.repeat(`LINE ${before.length}: ${before.at(-1)}`.length)}^`]
      : []),
    ...(detail ? [`DETAIL: ${detail}`] : []),
    ...(hint ? [`HINT: ${hint}`] : []),
    ...(LASTING.test(sql) ? [] : ['Nothing was changed.']),
  ]
}
