// Reads rows that are too many for memory, by a cursor.
import type pg from 'pg'
import type { BoundStatement } from './connection.ts'
import type { SentStatement } from './round-trip.ts'

/** How a connection is taken from the pool, used, and given back. */
interface CursorPool {
  borrow(): Promise<pg.Client>
  together<Row>(client: pg.Client, queries: SentStatement[]): Promise<Row[][]>
  giveBack(client: pg.Client): void
  discard(client: pg.Client): Promise<void>
}

/** Reads a statement's rows in portions; see Database.portions. */
export async function* readInPortions<Row>(
  { borrow, together, giveBack, discard }: CursorPool,
  [{ text }, values]: BoundStatement,
  rowsAtOnce: number,
  over?: AbortSignal,
): AsyncGenerator<Row[], void> {
  over?.throwIfAborted()
  const client = await borrow()
  const breakOff = () => client.connection.stream.destroy()
  over?.addEventListener('abort', breakOff)
  const next = { text: `FETCH ${rowsAtOnce} FROM portions` }
  try {
    over?.throwIfAborted()
    // A cursor cannot be prepared, so its statement has no name.
    const cursor = { text: `DECLARE portions NO SCROLL CURSOR FOR ${text}`, values }
    let rows = (await together<Row>(client, [{ text: 'BEGIN READ ONLY' }, NOTICE_THE_READER, cursor, next])).at(-1)!
    for (; rows.length > 0; rows = rows.length < rowsAtOnce ? [] : (await together<Row>(client, [next]))[0]!) yield rows
  } finally {
    over?.removeEventListener('abort', breakOff)
    await together(client, [{ text: 'ROLLBACK' }]).then(
      () => giveBack(client),
      () => discard(client),
    )
  }
}

// PostgreSQL notices within a second that the connection is gone and cancels the statement, instead of at its first row.
const NOTICE_THE_READER = { text: `SET LOCAL client_connection_check_interval = '1s'` }
