// Records the results of attempts in groups, so that many that end at the same time cost one statement.
import { recordAttemptResults, type AttemptResult } from '../commands/webhooks/deliveries.ts'
import type { CircuitRules } from '../domain/circuit.ts'
import type { Database } from '../models/database.ts'

const LARGEST_GROUP = 50
const LONGEST_WAIT_MS = 15

export interface ResultRecorder {
  /** Resolves when the result is committed. */
  record(result: AttemptResult): Promise<void>
}

interface Waiting {
  result: AttemptResult
  resolve: () => void
  reject: (error: unknown) => void
}

export function recordInGroups(connection: Database, circuit: CircuitRules): ResultRecorder {
  let group: Waiting[] = []
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const members = group
    group = []
    try {
      await recordAttemptResults(
        connection,
        members.map(({ result }) => result),
        circuit,
      )
      for (const member of members) member.resolve()
    } catch (error) {
      // One result that cannot be written must not fail the others, or their webhooks would be sent again.
      if (members.length > 1) await Promise.all(members.map(alone))
      else for (const member of members) member.reject(error)
    }
  }

  const alone = ({ result, resolve, reject }: Waiting) =>
    recordAttemptResults(connection, [result], circuit).then(resolve, reject)

  return {
    record: (result) =>
      new Promise((resolve, reject) => {
        group.push({ result, resolve, reject })
        if (group.length >= LARGEST_GROUP) void flush()
        else timer ??= setTimeout(() => void flush(), LONGEST_WAIT_MS)
      }),
  }
}
