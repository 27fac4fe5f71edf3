// Counts, for the metrics, how many deliveries wait and for what, up to a bound.
import type { Database } from './database.ts'

/** The most rows that are counted, so that the metrics stay cheap when very many deliveries wait. */
const COUNTED_AT_MOST = 10_000

export interface Waiting {
  circuits_open: number
  queue: number
  circuit: number
  batch: number
  process: number
}

/** How many circuits are not closed, and how many deliveries are under way, by what holds them. */
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
