// What is taken up after a loss of Temporal's data: each e-invoice under way once, page by page, by one worker at a time.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import { openDatabase, type Database } from '../../models/database.ts'
import { LOSS_BEGINNING, queueEInvoicesAnew } from '../../models/taking-up.ts'
import { endTakingUp, noteMark, takeTurn } from '../../models/temporal-marks.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

let url: string
let database: Database
beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 2, name: 'taking up' })
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})
const sql = <Row>(text: string, values: unknown[] = []) => database.run<Row>({ name: '', text }, values)

test('the first mark leaves nothing to take up, a later one does; one worker has the turn until its end', async () => {
  const [first, second] = [uuidv7(), uuidv7()]
  expect([await noteMark(database, first), await noteMark(database, second), await noteMark(database, first)]).toEqual([false, true, false])
  const [one, other] = [uuidv7(), uuidv7()]
  expect(await Promise.all([one, one].map((worker) => takeTurn(database, second, worker)))).toEqual([true, true])
  expect(await takeTurn(database, second, other)).toBe(false)
  // The worker has died.
  await sql(`UPDATE temporal_marks SET worker_until = now() - interval '1 second' WHERE generation = $1`, [second])
  expect([await takeTurn(database, second, other), await takeTurn(database, second, one)]).toEqual([true, false])
  await endTakingUp(database, second)
  expect([await noteMark(database, second), await takeTurn(database, second, other)]).toEqual([false, false])
})

test('e-invoices under way are queued once each, also while a worker starts them, and others are not', async () => {
  await sql('ALTER TABLE e_invoices DISABLE TRIGGER ALL')
  const now = new Date()
  // In microseconds, which a page must not lose.
  const add = async (status: string, seconds: number, startAt: Date | null = null) => {
    const id = uuidv7()
    await sql(
      `INSERT INTO e_invoices (org_id, id, kind, branch_id, status, errors, attempts, start_at, version, created_time, last_modified_time)
       VALUES ($1, $1, 'INVOICE', $1, $2, '[]', 0, $3, 1, $4::timestamptz, $4::timestamptz - $5 * interval '1 second' - interval '0.000123 seconds')`,
      [id, status, startAt, now, seconds],
    )
    return id
  }
  const underWay = [await add('PENDING', 3_000), await add('CANCELLING', 2_000), await add('PENDING', 1_000), await add('PENDING', 1_000), await add('PENDING', 10)]
  const queuedBefore = await add('PENDING', 500, now)
  for (const [status, seconds] of [['FAILED', 700], ['NOT_APPLICABLE', 700], ['PENDING', -60]] as const) await add(status, seconds)
  const queued: string[] = []
  let pages = 0
  for (let after = LOSS_BEGINNING; ; pages += 1) {
    const { last } = await queueEInvoicesAnew(database, after, now, 2)
    // The worker starts them at once.
    queued.push(...(await sql<{ id: string }>('UPDATE e_invoices SET start_at = NULL WHERE start_at IS NOT NULL AND id <> $1 RETURNING id', [queuedBefore])).map(({ id }) => id))
    if (!last || pages > 10) break
    after = last
  }
  expect(queued.toSorted()).toEqual(underWay.toSorted())
  expect(pages).toBe(3)
})
