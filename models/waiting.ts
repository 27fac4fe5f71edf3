// How many deliveries wait, and for what: counted for the metrics, up to a bound.
import type { Database } from './database.ts'

/** What is beyond it is not counted: a count must not cost more than it tells. */
const COUNTED_AT_MOST = 10_000

export interface Waiting {
  circuits_open: number
  queue: number
  circuit: number
  batch: number
  process: number
}

/** The circuits that are open, and the deliveries under way by what holds them. */
export async function countWaiting(database: Pick<Database, 'observe'>): Promise<Waiting> {
  const [row] = await database.observe<Waiting>(COUNT_WAITING, [])
  return row!
}

const held = (by: string) => `(SELECT count(*)::integer FROM
    (SELECT FROM webhook_deliveries AS d WHERE ${by} LIMIT ${COUNTED_AT_MOST}) AS counted)`

const COUNT_WAITING = {
  name: 'count waiting',
  text: `SELECT
    (SELECT count(*)::integer FROM
      (SELECT FROM webhook_circuits WHERE state <> 'CLOSED' LIMIT ${COUNTED_AT_MOST}) AS counted) AS circuits_open,
    ${held(`d.held_by = 'QUEUE'`)} AS queue,
    ${held(`d.held_by = 'CIRCUIT'`)} AS circuit,
    ${held(`d.held_by = 'BATCH'`)} AS batch,
    ${held(`d.held_by IN ('PROCESS', 'ATTEMPT')`)} AS process`,
}
