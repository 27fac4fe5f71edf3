// `npm run demo` as it is run: the month goes through, the trial balance agrees, and customers owe what the books say.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BASE_PATH } from '../../api/server.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let dataDir: string
beforeAll(async () => {
  service = await startService()
  await service.startWorker()
  dataDir = mkdtempSync(join(tmpdir(), 'bahi-month-'))
}, 60_000)
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true })
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

  test('it can be run again: each run has new books', async () => {
    const again = await runMonth()
    expect(again.code).toBe(0)
    expect(again.out).toContain(linesOf('Trial balance').join('\n'))
    expect(again.out.split('\n')[0]).not.toBe(out.split('\n')[0])
  }, 90_000)
})
