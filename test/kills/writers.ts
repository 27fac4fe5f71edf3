// Callers beside the load of invoices, each at its own kind of change without a pause: PUT, DELETE, conversions in parts.
import { expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Answered, CallOptions, Json } from '../fixtures/client.ts'
import { until } from '../start/local-run.ts'
import { patientCallerAt, pause, type Listeners, type PatientCaller } from './patient-caller.ts'
import type { LoadedOrganization } from './organization.ts'

/** What a writer does over and over, and how the books are compared with what was acknowledged. */
export interface Writer {
  name: string
  round(): Promise<void>
  check(): Promise<void>
}

export interface RunningWriters {
  /** Resolves once each of them has been through so many more rounds; throws what any of them met. */
  goOn(rounds: number, withinMs: number): Promise<void>
  /** Resolves when each is through its last round; throws what any of them met. */
  stop(): Promise<void>
  /** What was acknowledged is there, once; nothing else is. */
  check(): Promise<void>
}

const PAUSE_MS = 60
/** One that is so many rounds ahead only keeps going: the others wait for the engine, which needs the processor. */
const AHEAD = 50
const AHEAD_PAUSE_MS = 1_000

export function startWriters(works: Writer[], ahead = AHEAD): RunningWriters {
  let stopped = false
  const failures: unknown[] = []
  const rounds = works.map(() => 0)
  let wanted = rounds
  const ends = works.map(async (work, place) => {
    while (!stopped && failures.length === 0) {
      try {
        await work.round()
        rounds[place]! += 1
      } catch (error) {
        failures.push(error)
      }
      await pause(rounds[place]! > wanted[place]! + ahead ? AHEAD_PAUSE_MS : PAUSE_MS)
    }
  })
  const throwFailure = () => {
    if (failures.length > 0) throw failures[0]
  }
  return {
    async goOn(more, withinMs) {
      wanted = rounds.map((count) => count + more)
      await until(
        () => failures.length > 0 || rounds.every((count, place) => count >= wanted[place]!), withinMs,
        () => works.map(({ name }, place) => `${name}: ${rounds[place]} rounds of ${wanted[place]}`).join(', '),
      )
      throwFailure()
    },
    async stop() {
      stopped = true
      await Promise.all(ends)
      throwFailure()
    },
    async check() {
      for (const work of works) await work.check()
    },
  }
}

/** A caller that repeats each call until it is answered; throws where the answer is another than expected. */
export interface CheckedCaller {
  get(path: string): Promise<Json>
  /** With this Idempotency-Key, or a new one. */
  post(path: string, body: unknown, key?: string): Promise<Json>
  put(path: string, body: unknown): Promise<Json>
  /** The answer whatever it is. */
  answer(method: string, path: string, options?: CallOptions): Promise<Answered>
  /** How many entries of the action the activity log has. */
  countActivity(entityType: string, entityId: string, action: string): Promise<number>
}

export function checkedCallerOf(addresses: string | readonly string[], { token }: Pick<LoadedOrganization, 'token'>, listeners?: Listeners): CheckedCaller {
  const caller: PatientCaller = patientCallerAt(addresses, token, listeners)
  const answered = async (method: string, path: string, options = {}): Promise<Answered> => {
    const answer = await caller.untilAnswered(method, path, options)
    if (!answer) throw new Error(`${method} ${path} was not answered in time`)
    return answer
  }
  const done = async (method: string, path: string, options = {}): Promise<Json> => {
    const { status, body, text } = await answered(method, path, options)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return body
  }
  return {
    get: (path) => done('GET', path),
    post: (path, body, key = randomUUID()) => done('POST', path, { body, key }),
    put: (path, body) => done('PUT', path, { body }),
    answer: answered,
    async countActivity(entityType, entityId, action) {
      const { activity } = await done('GET', `/activity?entity_type=${entityType}&entity_id=${entityId}&limit=500`)
      expect(activity.length).toBeLessThan(500)
      return activity.filter((entry: Json) => entry.action === `${entityType}_${action}`).length
    },
  }
}
