// After any sequence of calls, processes that remember rows answer what one answers that remembers nothing, byte for byte.
import { expect, test } from '@jest/globals'
import fc, { cloneMethod, type AsyncCommand } from 'fast-check'
import { DOCUMENTS } from '../../domain/documents.ts'
import { callAt, type Call } from '../fixtures/client.ts'
import { useService } from '../fixtures/use-service.ts'
import { BASE_PATH } from '../../api/server.ts'
import type { Books } from './books.ts'
import { openModel } from './open.ts'
import type { Session } from './step.ts'
import { STEPS } from './steps.ts'

const { MODEL_RUNS: runs, MODEL_SEED: seed, MODEL_PATH: path } = process.env
const BEGINNING_MS = 15_000
const PATHS = Object.values(DOCUMENTS).map((document) => document.path)

const service = await useService()
await service.startWorker()
const callOf = ({ origin }: { origin: string }) => callAt(`${origin}${BASE_PATH}`)

interface Processes {
  remembering: Call[]
  forgetful: Call
}

/** The processes that are compared: one remembers everything, one has room for a few documents, one remembers nothing. */
async function withProcesses(work: (processes: Processes) => Promise<void>): Promise<void> {
  const [few, none] = await Promise.all(['1', '0'].map((ROW_MEMORY_MB) => service.another({ ROW_MEMORY_MB })))
  try {
    await work({ remembering: [callOf(service), callOf(few!)], forgetful: callOf(none!) })
  } finally {
    for (const one of [few, none]) await one!.close()
  }
}

/** Compares every list, and what it lists, one by one now and then. */
async function compare({ remembering, forgetful }: Processes, { token }: { token: string }, singly: boolean): Promise<void> {
  const texts = async (call: Call, ids: Map<string, string[]>) => {
    const paths = PATHS.flatMap((list) => [`${list}?per_page=200`, `${list}?per_page=3&sort=created_time`, ...(ids.get(list) ?? []).map((id) => `${list}/${id}`)])
    return Promise.all(paths.map(async (path) => [path, (await call('GET', path, { token })).text.replace(/"next_cursor":"[^"]+"/, '')]))
  }
  const ids = new Map<string, string[]>()
  for (const { path, id } of singly ? Object.values(DOCUMENTS) : []) {
    const { body } = await forgetful('GET', `${path}?per_page=20`, { token })
    ids.set(path, Object.values(body).flatMap((rows) => (Array.isArray(rows) ? rows.map((row) => row[id]) : [])))
  }
  const right = await texts(forgetful, ids)
  for (const call of remembering) expect(await texts(call, ids)).toEqual(right)
}

class Compared implements AsyncCommand<Books, Session> {
  readonly processes: Processes
  readonly inner: AsyncCommand<Books, Session>

  constructor(processes: Processes, inner: AsyncCommand<Books, Session>) {
    this.processes = processes
    this.inner = inner
  }

  check(books: Readonly<Books>) {
    return this.inner.check(books)
  }

  async run(books: Books, session: Session): Promise<void> {
    await this.inner.run(books, session)
    await compare(this.processes, session.client, books.things.length % 4 === 0)
  }

  [cloneMethod](): Compared {
    return new Compared(this.processes, fc.hasCloneMethod(this.inner) ? this.inner[cloneMethod]() : this.inner)
  }

  toString(): string {
    return this.inner.toString()
  }
}

test.each(['money', 'credits', 'orders'] as const)('whatever is done with %s, nothing that is remembered is out of date', (what) => withProcesses(async (processes) => {
  const end = runs ? Infinity : Date.now() + BEGINNING_MS
  const steps = STEPS[what].map((step) => (step as fc.Arbitrary<AsyncCommand<Books, Session>>).map((inner) => new Compared(processes, inner)))
  const commands = fc.noBias(fc.commands(steps, { maxCommands: 40, size: 'max' }))
  await fc.assert(fc.asyncProperty(commands, async (done) => {
    if (Date.now() > end) return
    const { books, session } = await openModel(service, new Map(), null)
    await fc.asyncModelRun(() => ({ model: books, real: session }), done)
    await compare(processes, session.client, true)
  }), { numRuns: runs ? Number(runs) : 2, ...(seed ? { seed: Number(seed) } : {}), ...(path ? { path, endOnFailure: true } : {}) })
}), 180_000 + 20_000 * Number(runs ?? 0))
