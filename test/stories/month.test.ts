// `npm run demo` as it is run: the month goes through, the trial balance agrees, customers owe what the books say, and a schedule bills.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawn, type ChildProcess } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BASE_PATH } from '../../api/server.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { removeSchedules } from '../workflows/schedules.ts'

let service: Service
let worker: ChildProcess
let dataDir: string
beforeAll(async () => {
  service = await startService()
  // With its background jobs, which start the workflows of schedules.
  worker = await spawnWorker(service.env)
  dataDir = mkdtempSync(join(tmpdir(), 'bahi-month-'))
})
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true })
  await kill(worker)
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await service.close()
})

async function runMonth(): Promise<{ code: number; out: string; error: string }> {
  const child = spawn(process.execPath, ['bin/demo.ts'], {
    cwd: join(import.meta.dirname, '..', '..'), env: { ...process.env, DATA_DIR: dataDir }, stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number>((resolve) => child.once('close', resolve))
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, out, error }
}

const paise = (rupees: string) => BigInt(rupees.replace(/[,.]/g, ''))
const AMOUNT = /-?[\d,]+\.\d{2}/g

test('without a local run it says how to get one', async () => {
  const { code, error } = await runMonth()
  expect(code).toBe(2)
  expect(error).toContain(dataDir)
  expect(error).toContain('npm start')
})

test('a local run that does not answer is none', async () => {
  writeFileSync(join(dataDir, 'demo.json'), JSON.stringify({ base_url: 'http://127.0.0.1:9/api/public/v1', partner_key: 'svc_prt_none' }))
  expect(await runMonth()).toMatchObject({ code: 2, error: expect.stringContaining('npm start') })
})

describe('beside a local run', () => {
  let out: string
  beforeAll(async () => {
    writeFileSync(join(dataDir, 'demo.json'), JSON.stringify({ base_url: service.origin + BASE_PATH, partner_key: service.partnerKey }))
    const { code, error, ...run } = await runMonth()
    expect({ code, error }).toEqual({ code: 0, error: '' })
    out = run.out
  }, 90_000)

  const linesOf = (title: string) => out.slice(out.indexOf(title)).split('\n\n')[0]!.split('\n').slice(1)

  test('every entry is printed with its number and its amount', () => {
    const [, , entries = ''] = out.split('\n\n')
    expect(entries.split('\n').length).toBe(25)
    for (const line of entries.split('\n')) expect(line).toMatch(/^\S.+ \S*\d\S* .*-?[\d,]+\.\d{2} (INR|USD)$/)
    expect(out).toMatch(/^Invoice in the state +INV-\S+-001 +Mysuru Emporium +71,100\.00 INR$/m)
    expect(out).toMatch(/^Invoice of 60 of them +INV-\S+ +Chennai Silk House +40,950\.00 INR$/m)
  })

  test('the trial balance agrees', () => {
    const rows = linesOf('Trial balance')
    const [debit, credit] = rows.at(-1)!.match(AMOUNT)!.map(paise)
    expect(debit).toBe(credit)
    const amounts = rows.slice(0, -2).flatMap((row) => row.match(AMOUNT)!.map(paise))
    expect(amounts.reduce((one, other) => one + other)).toBe(debit! + credit!)
  })

  test('what the customers owe is the receivable of the trial balance', () => {
    const owed = linesOf('What each customer owes').map((row) => paise(row.match(AMOUNT)![0]!))
    const receivable = linesOf('Trial balance').find((row) => row.includes('Accounts Receivable'))!
    expect(owed.length).toBe(3)
    expect(owed.reduce((one, other) => one + other)).toBe(paise(receivable.match(AMOUNT)![0]!))
  })

  test('at the end a schedule bills what was due, with a payment link', () => {
    const billed = linesOf('A schedule: Hire of a loom')
    expect(billed.slice(0, 3)).toEqual(Array(3).fill(expect.stringMatching(/^Hire of a loom, \d\d \w{3} \d{4} +INV-\S+ +Devaraja Weavers +531\.00 INR$/)))
    expect(billed[3]).toMatch(/^The schedule is COMPLETED after 3 invoices\./)
    expect(billed[4]).toMatch(/^ {2}http:\S+\/pay\?organization_id=\S+&amount=531\.00&currency=INR&signature=[0-9a-f]{64}$/)
  })

  test('it can be run again: each run has new books', async () => {
    const again = await runMonth()
    expect(again.code).toBe(0)
    expect(again.out).toContain(linesOf('Trial balance').join('\n'))
    expect(again.out.split('\n')[0]).not.toBe(out.split('\n')[0])
  }, 90_000)
})
