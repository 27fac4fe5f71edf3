// Starts the mailbox, which takes the mail of the local run and of the tests.
import { join } from 'node:path'
import { end, lastLines, launch, type Launched, type StartedServer, sizeOf, sleep } from './process.ts'

export interface MailboxProcess {
  folder: string
  port: number
  log: string
  inherited: NodeJS.ProcessEnv
  /** Where its reports on messages are sent. */
  eventsUrl?: string
  onLaunch?: (launched: Launched) => void
  hurry?: AbortSignal
}

/** What mail is sent with here: the mailbox takes any key, and any address of the sender. */
export const MAILBOX_KEY = 'SG.mailbox'
export const MAILBOX_SENDER = 'books@bahi.test'

const PROGRAM = join(import.meta.dirname, '..', 'mailbox', 'main.ts')

/** Starts the mailbox on loopback; throws an Error with the last lines of its log if it does not start. */
export async function startMailbox({
  folder,
  port,
  log,
  inherited,
  eventsUrl,
  onLaunch,
  hurry,
}: MailboxProcess): Promise<StartedServer> {
  const from = sizeOf(log)
  const args = [PROGRAM, '--port', String(port), '--folder', folder, ...(eventsUrl ? ['--events', eventsUrl] : [])]
  const launched = await launch({ name: 'Mailbox', command: process.execPath, args, log, env: inherited })
  onLaunch?.(launched)
  const stop = () => end(launched, { patienceMs: 5_000, hurry })
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + 30_000
  while (!(await isMailbox(url))) {
    if (launched.hasEnded() || Date.now() > deadline) {
      await stop()
      throw new Error(`The mailbox does not come up; the last lines of ${log}:\n${lastLines(log, 15, from)}`)
    }
    await sleep(25)
  }
  return { url, process: launched, stop }
}

/** The key that the mailbox signs its reports with. */
export async function eventsKeyOf(mailboxUrl: string): Promise<string> {
  const answer = await fetch(`${mailboxUrl}/events/key`, { signal: AbortSignal.timeout(5_000) })
  return ((await answer.json()) as { public_key: string }).public_key
}

async function isMailbox(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(2_000) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}
