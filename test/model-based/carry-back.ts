// What was read is sent back whole in the model: nothing changes; with one fixed field altered, it is refused.
import { expect } from '@jest/globals'
import { cloneMethod, type AsyncCommand } from 'fast-check'
import type { Json } from '../fixtures/client.ts'
import { BAD_STATE, BAD_VALUE, MISSING, type Books } from './books.ts'
import { compareThing, outcomeOf, type Session } from './step.ts'

/** The statuses in which a document may change; what is not here has none that forbids it, or is not changed at all. */
const OPEN_IN: Record<string, string[] | null> = {
  contact: null, item: null, payment: null, expense: null, invoice: ['DRAFT'], bill: ['DRAFT'],
  estimate: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CANCELLED'], sales_order: ['DRAFT', 'OPEN'], purchase_order: ['DRAFT', 'OPEN'],
  credit_note: ['DRAFT', 'ISSUED'], debit_note: ['DRAFT', 'ISSUED'],
}

/** A fixed field of everything that is changed, to alter; and of every document its total. */
export type Altered = 'created_time' | 'total' | null

export class CarryBack implements AsyncCommand<Books, Session> {
  private said = ''
  readonly n: number
  readonly altered: Altered

  constructor(n: number, altered: Altered) {
    this.n = n
    this.altered = altered
  }

  check(books: Readonly<Books>): boolean {
    return this.changeable(books).length > 0
  }

  async run(books: Books, session: Session): Promise<void> {
    const things = this.changeable(books)
    const thing = things[this.n % things.length]!
    const { key, path } = thing
    const read = await session.client.get(path)
    const whole: Json = read.body[key]
    const isAltered = !thing.gone && this.altered !== null && this.altered in whole
    const sent = isAltered ? { ...whole, [this.altered!]: this.altered === 'total' ? whole.total + 1 : '2020-01-01T00:00:00.000Z' } : whole ?? {}
    this.said = `${key} ${thing.gone ? 'gone' : whole.status}, ${isAltered ? `another ${this.altered}` : 'as it was'}`
    const answered = await session.client.put(path, sent)
    const outcome = outcomeOf(answered)
    session.outcomes.set(`carry back: ${outcome}`, (session.outcomes.get(`carry back: ${outcome}`) ?? 0) + 1)
    const open = OPEN_IN[key]
    const isClosed = !thing.gone && ((open && !open.includes(whole.status)) || (key === 'credit_note' && whole.applied_amount > 0))
    expect({ said: this.said, outcome }).toEqual({ said: this.said, outcome: thing.gone ? MISSING : isClosed ? BAD_STATE : isAltered ? BAD_VALUE : '200' })
    if (outcome === '200') expect(answered.body[key]).toEqual(whole)
    expect((await session.client.get(path)).body[key]).toEqual(whole)
    // Its activity and events are compared with the model at the end of the run.
    await compareThing(books, session, thing)
  }

  [cloneMethod](): CarryBack {
    return new CarryBack(this.n, this.altered)
  }

  toString(): string {
    return `\n  carry back: ${this.said || this.n}`
  }

  private changeable(books: Readonly<Books>) {
    return books.things.filter(({ key }) => key in OPEN_IN)
  }
}
