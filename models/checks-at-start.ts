// What a process asks of its database before it serves: whether it knows the schema, and whether it has the right key.
import { setTimeout } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { unfitKey } from './installation.ts'
import { unfitSchema } from './schema-version.ts'

/** A database that has not answered by then does not answer at once. */
const FIRST_ANSWER_MS = 2_000
const ASK_AGAIN_MS = 1_000

export interface StartCheck {
  /** Whether the database has answered at once: `unfit` is known then. */
  isSoon: Promise<boolean>
  /** Why the process must not run on the database, in one line; null where it may. Never rejects: it waits for the database. */
  unfit: Promise<string | null>
}

/**
 * Asks until the database answers, which may come up later than the process. `tell` is called once for each kind of error that is
 * in the way, such as a wrong password.
 */
export function checkAtStart(
  connection: Connection,
  encryptionKey: string,
  tell: (problem: string) => void,
): StartCheck {
  const told = new Set<string>()
  const ask = async (): Promise<string | null | undefined> => {
    try {
      return (await unfitSchema(connection)) ?? (await unfitKey(connection, encryptionKey))
    } catch (error) {
      const { code, message } = rootOf(error as DatabaseError)
      if (code === INSUFFICIENT_PRIVILEGE) return notGranted(message)
      if (!told.has(code ?? message)) tell(message)
      told.add(code ?? message)
      return undefined
    }
  }
  const first = ask()
  const late = setTimeout(FIRST_ANSWER_MS, false)
  return {
    isSoon: Promise.race([first.then((answer) => answer !== undefined), late]),
    unfit: untilAnswered(first, ask),
  }
}

type DatabaseError = Error & { code?: string; parent?: DatabaseError; errors?: DatabaseError[] }

const INSUFFICIENT_PRIVILEGE = '42501'

// Sequelize wraps what the driver says, and a refused connection has an error for each address of a name.
function rootOf(error: DatabaseError): DatabaseError {
  const inner = error.parent ?? error.errors?.[0]
  return inner ? rootOf(inner) : error
}

const notGranted = (message: string) =>
  `The role of DATABASE_URL may not use the tables (${message}): run npm run migrate as their owner, with this role as SERVICE_ROLE`

async function untilAnswered(
  first: Promise<string | null | undefined>,
  ask: () => Promise<string | null | undefined>,
): Promise<string | null> {
  let answer = await first
  while (answer === undefined) {
    await setTimeout(ASK_AGAIN_MS)
    answer = await ask()
  }
  return answer
}
