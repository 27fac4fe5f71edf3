// Gets over a migration that changes what prepared statements return: their connections are given up, and the work is done again.
import pg from 'pg'

// More migrations than change tables while one call is under way.
const TRIES = 5

/**
 * Whether PostgreSQL has refused to run a prepared statement, because its columns are others than when it was prepared. It is
 * told by the function that refuses: the message is in the language of the server.
 */
export function isStale(settled: PromiseSettledResult<unknown>): boolean {
  return settled.status === 'rejected' && isStaleError(settled.reason)
}

const isStaleError = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'

/** The changes of the schema that the connections of a pool have met. */
export interface SchemaChanges {
  /** Notes that a connection has a statement that PostgreSQL no longer runs. Others of its age have such statements too. */
  noteStale(client: pg.Client): void
  /** Whether the connection was first used before the last change that is known. */
  isBefore(client: pg.Client): boolean
  /** Does the work again while it fails because of a statement that PostgreSQL no longer runs. */
  survived<T>(work: () => Promise<T>): Promise<T>
}

export function schemaChanges(): SchemaChanges {
  let known = 0
  const knownTo = new WeakMap<pg.Client, number>()
  const isBefore = (client: pg.Client) => {
    if (!knownTo.has(client)) knownTo.set(client, known)
    return knownTo.get(client)! < known
  }
  return {
    isBefore,
    noteStale: (client) => {
      if (!isBefore(client)) known += 1
    },
    async survived(work) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await work()
        } catch (error) {
          if (tries === TRIES || !isStaleError(error)) throw error
        }
      }
    },
  }
}
