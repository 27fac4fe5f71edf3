// Every constraint of the migrated schema is classified: what it means to a caller who meets it, or why none can.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { TAKEN } from '../../commands/books/refusals.ts'
import { CONTACT_REFERENCES } from '../../models/contact.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { ITEM_REFERENCES } from '../../models/item.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'
import { REMOVABLE, NEVER_DELETED, UNREACHABLE } from './constraints.ts'

let url: string
let database: Database
const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> => database.run({ name: '', text }, values)

beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 2, name: 'constraints' })
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})

interface Reference { name: string; table: string; refers_to: string; columns: string[]; cascades: boolean }

const references = () => sql<Reference>(
  `SELECT conname::text AS name, conrelid::regclass::text AS table, confrelid::regclass::text AS refers_to, confdeltype = 'c' AS cascades,
          array(SELECT attname::text FROM unnest(conkey) AS k(num) JOIN pg_attribute ON attrelid = conrelid AND attnum = num
                WHERE attname <> 'org_id') AS columns
   FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1`,
)

test('every check, unique key, exclusion and trigger that refuses is a refusal to the caller, or cannot be reached', async () => {
  // A key of (org_id, id) or (id) is a fresh UUIDv7. Columns that must not be null are typed so, and shapes require them.
  const found = await sql<{ name: string }>(
    `SELECT conname::text AS name FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'u', 'x', 't')
     UNION SELECT conname FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND contype = 'p' AND pg_get_constraintdef(oid) NOT IN ('PRIMARY KEY (org_id, id)', 'PRIMARY KEY (id)')
     UNION SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE indisunique AND relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
     UNION SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc ILIKE '%raise exception%'`,
  )
  const classified = [...Object.keys(TAKEN), ...Object.values(UNREACHABLE).flat()]
  expect(classified.toSorted()).toEqual(found.map(({ name }) => name).toSorted())
  expect(new Set(classified).size).toBe(classified.length)
})

test('every foreign key leads to a table whose rows are deleted by calls, or by none', async () => {
  const tables = [...Object.keys(REMOVABLE), ...NEVER_DELETED]
  expect([...new Set((await references()).map(({ refers_to }) => refers_to))].toSorted()).toEqual(tables.toSorted())
})

test.each([['contacts', CONTACT_REFERENCES], ['items', ITEM_REFERENCES]] as const)(
  'what refers to %s is counted before one is deleted: every foreign key, and nothing else', async (table, counted) => {
    const found = (await references()).filter(({ refers_to, cascades }) => refers_to === table && !cascades)
    expect(found.map((each) => [each.table, ...each.columns]).toSorted()).toEqual(Object.entries(counted).map(([name, column]) => [name, column]).toSorted())
  },
)

test('what is counted before a deletion, or checked by PostgreSQL at one, is found by an index', async () => {
  const found = (await references()).filter(({ refers_to }) => refers_to in REMOVABLE)
  for (const { table, columns } of found) {
    const indexes = await sql<{ definition: string }>(
      `SELECT indexdef AS definition FROM pg_indexes WHERE schemaname = 'public' AND tablename = $1`, table)
    expect([table, columns, indexes.filter(({ definition }) => definition.includes(`(org_id, ${columns[0]}`)).length > 0]).toEqual([table, columns, true])
  }
})
