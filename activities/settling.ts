// Settles attempts in groups: many that end at the same moment cost one statement.
import { settleAttempts, type Settlement } from '../commands/deliveries.ts'
import type { CircuitRules } from '../domain/circuit.ts'
import type { Database } from '../models/database.ts'

const LARGEST_GROUP = 50
const LONGEST_WAIT_MS = 15

export interface Settling {
  /** Resolves when the outcome is committed. */
  settle(settlement: Settlement): Promise<void>
}

interface Waiting {
  settlement: Settlement
  resolve: () => void
  reject: (error: unknown) => void
}

export function settleInGroups(connection: Database, circuit: CircuitRules): Settling {
  let group: Waiting[] = []
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const members = group
    group = []
    try {
      await settleAttempts(connection, members.map(({ settlement }) => settlement), circuit)
      for (const member of members) member.resolve()
    } catch (error) {
      // One outcome that cannot be written must not make the others be sent again.
      if (members.length > 1) await Promise.all(members.map(alone))
      else for (const member of members) member.reject(error)
    }
  }

  const alone = ({ settlement, resolve, reject }: Waiting) =>
    settleAttempts(connection, [settlement], circuit).then(resolve, reject)

  return {
    settle: (settlement) => new Promise((resolve, reject) => {
      group.push({ settlement, resolve, reject })
      if (group.length >= LARGEST_GROUP) void flush()
      else timer ??= setTimeout(() => void flush(), LONGEST_WAIT_MS)
    }),
  }
}
