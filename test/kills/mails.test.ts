// The worker, the API and the mail provider are killed in the middle of mails: none is sent twice, and what became of each is known.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, jest, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { ROOT } from '../fixtures/root.ts'
import { startService } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { statusOf, until } from '../start/local-run.ts'
import { patientCallerAt, pause } from './patient-caller.ts'

// With KILLS_SCALE=8 there are 200.
const SCALE = Number(process.env.KILLS_SCALE ?? 1)
const MAILS = SCALE === 1 ? 15 : 25 * SCALE
const AT_ONCE = SCALE === 1 ? 5 : 8
const BETWEEN_KILLS = SCALE === 1 ? 4 : 10
jest.setTimeout(300_000 * SCALE)

const folder = mkdtempSync(join(tmpdir(), 'bahi-mails-'))
const [mailboxPort, apiPort] = [await freePort(undefined), await freePort(undefined)]
const mailboxUrl = `http://127.0.0.1:${mailboxPort}`
const service = await startService({ MAIL_API_URL: mailboxUrl, MAIL_TIMEOUT_SECONDS: '4' })

async function started(path: string, args: string[], live: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [path, ...args], { cwd: ROOT, env: { ...process.env, ...service.env, PORT: String(apiPort) }, stdio: 'ignore' })
  await until(async () => (await statusOf(live)) === 200, 90_000, () => `${path} does not start`)
  return child
}
const start = {
  worker: () => spawnWorker(service.env),
  API: () => started('api/server.ts', [], `http://127.0.0.1:${apiPort}/health/live`),
  mailbox: () => started('bin/mailbox/main.ts', ['--port', String(mailboxPort), '--folder', folder], `${mailboxUrl}/health/live`),
}
const NAMES = ['worker', 'mailbox', 'API'] as const
const running = new Map(await Promise.all(NAMES.map(async (name) => [name, await start[name]()] as const)))

afterAll(async () => {
  for (const child of running.values()) await kill(child)
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

async function killAndStart(name: (typeof NAMES)[number]): Promise<void> {
  await kill(running.get(name)!)
  // As if the minute had passed for which a crash leaves the claims of keys.
  if (name === 'API') await service.sql('UPDATE idempotent_answers SET claimed_until = now() WHERE claimed_until IS NOT NULL')
  running.set(name, await start[name]())
}

// Of ten, the provider refuses one, takes one without an answer, and does not answer one in time; with many, some have a PDF.
const DOMAINS: Record<number, string> = { 3: 'reject.test', 5: 'slow.test', 7: 'lost.test' }
const bodyOf = (n: number) => ({
  to: [`customer${n}@${DOMAINS[n % 10] ?? 'example.com'}`],
  subject: `Mail ${n}`,
  attach_pdf: SCALE > 1 && n % 20 === 0,
})

test('every mail is sent once, or is known not to be sent, or nobody knows: never twice, and none is lost without a word', async () => {
  const { client, orgId, sentInvoice } = await openOrganization(service)
  const { invoice_id: id } = await sentInvoice()
  const caller = patientCallerAt(`http://127.0.0.1:${apiPort}/api/public/v1`, client.token)
  const answers = new Map<string, string>()
  const left = Array.from({ length: MAILS }, (_, n) => n)
  const sending = Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let n = left.shift(); n !== undefined; n = left.shift()) {
      const body = bodyOf(n)
      for (;;) {
        const answer = await caller.once('POST', `/invoices/${id}/email`, { key: `mail-${n}`, body })
        const isSettled = answer?.status === 200 || (answer?.status === 502 && answer.body.code === 'email.send_failed')
        if (isSettled) {
          answers.set(body.subject, answer.status === 200 ? 'SENT' : answer.body.details.status)
          break
        }
        if (answer) expect([409, 503]).toContain(answer.status)
        await pause(100)
      }
    }
  }))
  let isOver = false
  void sending.finally(() => { isOver = true }).catch(() => undefined)
  let kills = 0
  for (; ; kills += 1) {
    const at = answers.size + BETWEEN_KILLS
    while (!isOver && answers.size < at) await pause(10)
    if (isOver || left.length === 0) break
    await killAndStart(NAMES[kills % NAMES.length]!)
  }
  await sending

  const rows = await service.sql<{ subject: string; state: string; noted: number }>(
    `SELECT subject, state, (SELECT count(*)::integer FROM activity AS a WHERE a.org_id = e.org_id AND a.action = 'EMAIL_SENT' AND a.metadata ->> 'email_id' = e.id::text) AS noted
     FROM emails AS e WHERE org_id = $1`, orgId,
  )
  expect(rows.map(({ subject, state }) => `${subject} ${state}`).sort()).toEqual([...answers].map(([subject, state]) => `${subject} ${state}`).sort())
  const messages = (await (await fetch(`${mailboxUrl}/messages`)).json()) as Json[]
  const taken = (subject: string) => messages.filter((message) => message.subject === subject).length
  const counts = { SENT: [1], REJECTED: [0], UNKNOWN: [0, 1] } as Record<string, number[]>
  for (const { subject, state, noted } of rows) {
    expect([subject, state, counts[state]]).toEqual([subject, state, expect.arrayContaining([taken(subject)])])
    expect([subject, noted]).toEqual([subject, state === 'SENT' ? 1 : 0])
  }
  expect([rows.length, answers.size]).toEqual([MAILS, MAILS])
  const of = (state: string) => rows.filter((row) => row.state === state).length
  expect(of('SENT') + of('REJECTED') + of('UNKNOWN')).toBe(MAILS)
  if (SCALE === 1) return
  const known = rows.filter((row) => row.state === 'UNKNOWN' && taken(row.subject) === 1).length
  console.log(`${MAILS} mails, ${kills} kills: ${of('SENT')} sent, ${of('REJECTED')} refused, ${of('UNKNOWN')} unknown, of which the provider has ${known}`)
})
