// When tokens and partner keys were last used: kept in memory, and written coarsely, so that no call waits for it.
import type { Database } from './database.ts'

export interface LastUses {
  /** Notes that a token or partner key was used now. What a process has not written when it ends is lost. */
  note(subject: string, now: Date): void
  close(): void
}

/** A use is written if the one before was so long ago, or is not known to this process. */
const COARSE_MS = 3_600_000
const WRITE_MS = 60_000
/** More are forgotten: their next use is written, though the one before is recent. */
const MOST = 20_000

export function createLastUses(database: Pick<Database, 'observe'>, everyMs = WRITE_MS): LastUses {
  const noted = new Map<string, number>()
  let pending = new Map<string, Date>()
  let isWriting = false

  async function write(): Promise<void> {
    const uses = pending
    pending = new Map()
    const subjects = [...uses.keys()].sort()
    const times = subjects.map((subject) => uses.get(subject)!)
    // A database that is away loses them; the next use after that is noted again.
    await database.observe(WRITE, [subjects, times]).catch(() => {
      for (const subject of subjects) noted.delete(subject)
    })
  }

  const timer = setInterval(() => {
    if (pending.size === 0 || isWriting) return
    isWriting = true
    void write().finally(() => {
      isWriting = false
    })
  }, everyMs)
  timer.unref()

  return {
    note(subject, now) {
      const before = noted.get(subject)
      if (before !== undefined && now.getTime() - before < COARSE_MS) return
      if (noted.size >= MOST) noted.clear()
      if (pending.size >= MOST) return
      noted.set(subject, now.getTime())
      pending.set(subject, now)
    },
    close: () => clearInterval(timer),
  }
}

const WRITE = {
  name: 'write last uses',
  text: `INSERT INTO last_uses AS u (subject, last_used_time) SELECT subject, time FROM unnest($1::uuid[], $2::timestamptz[]) AS used(subject, time)
    ON CONFLICT (subject) DO UPDATE SET last_used_time = excluded.last_used_time WHERE u.last_used_time < excluded.last_used_time`,
}
