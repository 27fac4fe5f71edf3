// The notes of a run: they must lead to our own leftovers, and never to another process.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { end, isAlive, launch, type Launched, startOf } from '../../bin/services/process.ts'
import { endLeftovers, FolderInUse, openRunRecord } from '../../bin/services/run-record.ts'

let folder: string
let started: Launched[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bahi-record-'))
  started = []
})
afterEach(async () => {
  await endLeftovers(started)
  rmSync(folder, { recursive: true, force: true })
})

async function sleeper(name: string, script = 'setInterval(() => undefined, 1000)'): Promise<Launched> {
  const log = join(folder, `${name}.log`)
  const launched = await launch({ name, command: process.execPath, args: ['--eval', script], log, env: process.env })
  started.push(launched)
  return launched
}

const holder = (pid: number, startedAt: string, under: object | null = null) =>
  writeFileSync(join(folder, 'run.lock'), JSON.stringify({ name: 'run', stopSignal: 'SIGTERM', pid, startedAt, under }))

test('a process that the last run noted and that still runs is a leftover, and is ended', async () => {
  const child = await sleeper('left')
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ports: {}, children: [child] }))
  const record = await openRunRecord(folder)
  expect(record.leftovers.map(({ pid }) => pid)).toEqual([child.pid])
  await endLeftovers(record.leftovers)
  expect(isAlive(child)).toBe(false)
})

test('another process that got the pid of an old child is not taken for it', async () => {
  const another = await sleeper('another')
  const old = { ...another, startedAt: 'the-boot-before-1' }
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ports: {}, children: [old] }))
  const record = await openRunRecord(folder)
  expect(record.leftovers).toEqual([])
  expect(isAlive(another)).toBe(true)
})

test('a child that does not listen to its signal is ended all the same, with its own children', async () => {
  const script = `const { spawn } = require('node:child_process')
    process.on('SIGTERM', () => undefined)
    console.log(spawn(process.execPath, ['--eval', 'setInterval(() => 0, 1000)']).pid)`
  const deaf = await sleeper('deaf', script)
  const log = join(folder, 'deaf.log')
  while (readFileSync(log, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 20))
  const grandchild = Number(readFileSync(log, 'utf8'))
  expect(startOf(grandchild)).not.toBeNull()
  await end(deaf, { patienceMs: 200 })
  expect(isAlive(deaf)).toBe(false)
  // It was told to end with its parent, and takes a moment to.
  const last = Date.now() + 90_000
  while (startOf(grandchild) !== null && Date.now() < last) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(startOf(grandchild)).toBeNull()
})

test('a folder held by a living run is refused; one whose holder died is taken', async () => {
  holder(process.pid, startOf(process.pid) ?? '')
  await expect(openRunRecord(folder)).rejects.toThrow(FolderInUse)
  await expect(openRunRecord(folder)).rejects.toThrow(`process ${process.pid}`)
  holder(process.pid, 'the-boot-before-1')
  const record = await openRunRecord(folder)
  record.close()
  expect(existsSync(join(folder, 'run.lock'))).toBe(false)
})

test('a run whose npm was killed is ended by the next', async () => {
  const orphan = await sleeper('orphan')
  holder(orphan.pid, orphan.startedAt, { pid: process.pid, startedAt: 'long-ago' })
  await openRunRecord(folder)
  expect(isAlive(orphan)).toBe(false)
})

test('of several runs that start together over a dead one, one gets the folder', async () => {
  holder(process.pid, 'the-boot-before-1')
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => openRunRecord(folder)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})
