// Any sequence of calls, legal or not, leaves the books as a small model computes them, to the paisa.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { created } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'
import { Books, type Rounding } from './books.ts'
import { compareAll } from './compare.ts'
import { Contact } from './contact.ts'
import { STEPS } from './steps.ts'
import type { Session } from './step.ts'

// A longer hunt: MODEL_RUNS=500. A run seen before: MODEL_SEED, MODEL_PATH and MODEL_REPLAY (the replayPath) as they are
// printed where it fails. MODEL_TELL=1 prints the outcomes of each kind of call.
const { MODEL_RUNS: runs, MODEL_SEED: seed, MODEL_PATH: path, MODEL_REPLAY: replayPath, MODEL_TELL } = process.env

// How long new runs are begun on a slow machine, unless so many of them are asked for; how long a failure is made shorter.
const BEGINNING_MS = 40_000
const SHORTENING_MS = 60_000

const service = await useService()
await service.startWorker()

test.each([['money', 15], ['credits', 15], ['orders', 15], ['names', 15]] as const)('whatever is done with %s, the service answers what the model says', async (what, usual) => {
  const outcomes: Session['outcomes'] = new Map()
  const numRuns = runs ? Number(runs) : usual
  let end = runs ? Infinity : Date.now() + BEGINNING_MS
  let isFailed = false
  // Without bias, which would make most of so few runs short.
  const commands = fc.noBias(fc.commands(STEPS[what], { maxCommands: 120, size: 'max', ...(replayPath ? { replayPath } : {}) }))
  const rounding = fc.constantFrom<Rounding | null>(null, null, 'nearest', 'up', 'down')
  await fc.assert(fc.asyncProperty(rounding, commands, async (preferred, done) => {
    if (Date.now() > end) return
    try {
      const { books, session } = await open(outcomes, preferred)
      await fc.asyncModelRun(() => ({ model: books, real: session }), done)
      await compareAll(books, session)
    } catch (error) {
      if (!isFailed) end = Date.now() + SHORTENING_MS
      isFailed = true
      throw error
    }
  }), { numRuns, ...(seed ? { seed: Number(seed) } : {}), ...(path ? { path, endOnFailure: true } : {}) })
  if (MODEL_TELL) console.log([...outcomes].sort().map(([outcome, count]) => `${count}\t${outcome}`).join('\n'))
  // A run that met no refusals would say little.
  const refused = [...outcomes.keys()].filter((outcome) => / 4\d\d /.test(outcome))
  expect([outcomes.size > 15, refused.length > 5]).toEqual([true, true])
}, 120_000 + 10_000 * Number(runs ?? 0))

/** A new organisation in Karnataka with a customer, a vendor, and one who is both; and the empty model of its books. */
async function open(outcomes: Session['outcomes'], rounding: Rounding | null): Promise<{ books: Books; session: Session }> {
  const today = await aDayThatLasts()
  const client = await service.organization()
  // Preferences are set by a person who has signed in, never through the API.
  const preferences = { roundInvoiceTotals: rounding !== null, ...(rounding ? { roundingMethod: rounding } : {}) }
  await service.sql('UPDATE organizations SET preferences = preferences || $2::jsonb WHERE id = $1', client.orgId, JSON.stringify(preferences))
  const accounts = (await client.get('/accounts?per_page=500')).body.accounts as { name: string; account_id: string }[]
  const taxes = (await client.get('/taxes?per_page=200')).body.taxes as { tax_id: string; shape: string; cgst: number }[]
  const contacts = await Promise.all((['CUSTOMER', 'VENDOR', 'BOTH'] as const).map(async (type): Promise<Contact> => {
    const name = { CUSTOMER: 'Meena Sarees', VENDOR: 'Tiruppur Mills', BOTH: 'Surat Traders' }[type]
    const { contact } = await created(client.post('/contacts', { contact_name: name, contact_type: type, place_of_contact: 'IN-KA', payment_terms: 0 }))
    return new Contact({ id: contact.contact_id, name, type })
  }))
  return {
    books: new Books({
      today, contacts, rounding,
      accounts: Object.fromEntries(accounts.map(({ name, account_id }) => [name, account_id])),
      taxId: taxes.find(({ shape, cgst }) => shape === 'INTRA_STATE' && cgst === 9)!.tax_id,
    }),
    session: { service, client, keyed: [], unhandledErrorsBefore: service.unhandledErrors.length, outcomes },
  }
}

/** Today in India; tomorrow where today is about to end, so that no run sees midnight. */
async function aDayThatLasts(): Promise<string> {
  const now = Date.now() + 330 * 60_000
  const left = 86_400_000 - now % 86_400_000
  if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 10))
  return new Date(Date.now() + 330 * 60_000).toISOString().slice(0, 10)
}
