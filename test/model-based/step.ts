// One step of a run: a call over HTTP, whose outcome and effects are compared with the model.
import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import { cloneMethod, type AsyncCommand } from 'fast-check'
import type { Answered, Client, Json } from '../fixtures/client.ts'
import type { Service } from '../fixtures/service.ts'
import { BAD_VALUE, IN_USE, type Books, type Plan, type Thing } from './books.ts'

/** The organisation that a run calls, and what was recorded about the calls. */
export interface Session {
  service: Service
  client: Client
  /** The POSTs so far, each with its key and what it was answered. */
  keyed: { path: string; body: Json; key: string; answered: Answered }[]
  /** How many unhandled errors earlier runs left in the log. */
  unhandledErrorsBefore: number
  /** How many calls had which outcome, over all runs. */
  outcomes: Map<string, number>
}

export const outcomeOf = ({ status, body }: Answered): string => (status < 300 ? String(status) : `${status} ${body?.code}`)

/** A call with its input; what it is made on is chosen when its turn comes. */
export class Step<Input> implements AsyncCommand<Books, Session> {
  private said = ''
  readonly name: string
  readonly input: Input
  readonly stepOf: (books: Books, input: Input) => Plan | null

  constructor(name: string, input: Input, stepOf: (books: Books, input: Input) => Plan | null) {
    this.name = name
    this.input = input
    this.stepOf = stepOf
  }

  check(books: Readonly<Books>): boolean {
    return this.stepOf(books as Books, this.input) !== null
  }

  async run(books: Books, session: Session): Promise<void> {
    const plan = this.stepOf(books, this.input)!
    const { method, path, body, refusals } = plan
    const call = `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`
    this.said = legible(books, call)
    books.touched.clear()
    const answered = await this.send(plan, session)
    const outcome = outcomeOf(answered)
    this.said += ` -> ${outcome}`
    session.outcomes.set(`${this.name}: ${outcome}`, (session.outcomes.get(`${this.name}: ${outcome}`) ?? 0) + 1)
    const expected = refusals.length > 0 ? refusals : [method === 'POST' && !/\/\w+\/[\w-]{36}\//.test(path) ? '201' : '200']
    if (!expected.includes(outcome)) throw new Error(legible(books, `${call}\nanswered ${outcome}, must be ${expected.join(' or ')}: ${answered.text}`))
    if (plan.limit !== undefined && refusals.join() === BAD_VALUE) expect(answered.body.details).toEqual({ limit: plan.limit })
    if (plan.uses && refusals.join() === IN_USE) expect(answered.body.details).toEqual(plan.uses)
    if (refusals.length === 0) plan.move(answered.body)
    for (const thing of new Set([...books.touched, ...(plan.about ?? [])])) await compareThing(books, session, thing)
  }

  // While fast-check shrinks a failure the same step runs many times; each copy describes its own run.
  [cloneMethod](): Step<Input> {
    return new Step(this.name, this.input, this.stepOf)
  }

  toString(): string {
    return `\n  ${this.name}: ${this.said || JSON.stringify(this.input)}`
  }

  private async send({ method, path, body }: Plan, { client, keyed }: Session): Promise<Answered> {
    if (method === 'PUT') return client.put(path, body)
    if (method === 'DELETE') return client.delete(path)
    const key = randomUUID()
    const answered = await answerOf(() => client.post(path, body, key))
    keyed.push({ path, body, key, answered })
    return answered
  }
}

// A call that a slow service answers with 503 is repeated with its key, as a caller would: it continues where it was.
async function answerOf(call: () => Promise<Answered>, times = 10): Promise<Answered> {
  const answered = await call()
  return answered.status === 503 && times > 1 ? answerOf(call, times - 1) : answered
}

/** A POST of before, sent again with its key: the same answer, byte for byte, and nothing moves. */
export class Repeat implements AsyncCommand<Books, Session> {
  private said = ''
  readonly n: number

  constructor(n: number) {
    this.n = n
  }

  check(): boolean {
    return true
  }

  async run(books: Books, { client, keyed }: Session): Promise<void> {
    if (keyed.length === 0) return
    const { path, body, key, answered } = keyed[this.n % keyed.length]!
    this.said = legible(books, `POST ${path} again`)
    const { status, text, headers } = await client.post(path, body, key)
    expect({ status, text, replay: headers['idempotency-replay'] }).toEqual({ status: answered.status, text: answered.text, replay: 'true' })
  }

  [cloneMethod](): Repeat {
    return new Repeat(this.n)
  }

  toString(): string {
    return `\n  repeat: ${this.said || this.n}`
  }
}

/** What the API answers of a thing is what the model says of it. */
export async function compareThing(books: Books, { client }: Session, thing: Thing): Promise<void> {
  const { status, body, text } = await client.get(thing.path)
  if (thing.gone) {
    expect({ thing: thing.name, status }).toEqual({ thing: thing.name, status: 404 })
    return
  }
  if (status !== 200) throw new Error(legible(books, `GET ${thing.path} answered ${status}: ${text}`))
  thing.learn?.(body[thing.key])
  const shown = thing.shown(books)
  expect({ thing: thing.name, ...body[thing.key] }).toMatchObject({ thing: thing.name, ...shown })
}

/** Ids as the names of what they are of. */
function legible(books: Books, text: string): string {
  const names = new Map<string, string>(Object.entries(books.accounts).map(([name, id]) => [id, name]))
  books.things.forEach(({ path, key }, place) => names.set(path.split('/').at(-1)!, `${key} #${place}`))
  for (const { id, name } of books.contacts) names.set(id, name)
  names.set(books.taxId, 'GST 18%')
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => names.get(id) ?? id)
}
