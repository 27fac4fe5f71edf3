// What `npm run bench` runs: measures the service beside the floors of the machine, and prints one table.
import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAgainst } from './against.ts'
import { measureBodies } from './bodies.ts'
import { writeBooking } from './booking.ts'
import { measureBulk } from './bulk.ts'
import { connected } from './connected.ts'
import { measureConversions } from './conversions.ts'
import { measureGrowth } from './growth.ts'
import { INVOICE } from './writes.ts'
import { measureDocuments } from './documents.ts'
import { measureMixed } from './mixed.ts'
import { measureInvoices } from './invoices.ts'
import { measureLedgers } from './ledgers.ts'
import { measureNeighbours } from './neighbours.ts'
import { makeParties, newPartnerKey, type Party } from './parties.ts'
import { measurePdfs } from './pdfs.ts'
import { measureProcesses } from './processes.ts'
import { measureReading } from './reading.ts'
import { Report } from './report.ts'
import { FULL, QUICK, type Scale } from './scale.ts'
import { measureSchedules } from './schedules.ts'
import { keepSpecimens } from './specimens.ts'
import { checkoutIn, setOtherStage, setStage, type Stage } from './stage.ts'
import { secondsSince, step } from '../bin/services/steps.ts'
import { measureWebhookNeighbours } from './webhook-neighbours.ts'
import { measureWebhooks } from './webhooks.ts'

const MEASURES = [
  'invoices', 'writes', 'mixed', 'conversions', 'bulk', 'webhooks', 'schedules',
  'reading', 'ledgers', 'pdfs', 'bodies', 'neighbours', 'webhook-neighbours',
] as const

const { values: { quick, only, against, schedules } } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false }, against: { type: 'string' }, schedules: { type: 'string' },
    only: { type: 'string', multiple: true, default: [...MEASURES] },
  },
})
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

const scale = quick ? QUICK : FULL
process.exit(await main({ ...scale, schedules: Number(schedules ?? scale.schedules) }))

async function main(scale: Scale): Promise<number> {
  const begun = Date.now()
  const report = new Report()
  const stages: Stage[] = []
  try {
    console.log(`${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`)
    stages.push(await setStage(stopping.signal))
    if (against !== undefined) {
      stages.push(await setOtherStage(stopping.signal, await checkoutIn(resolve(against))))
      await measureAgainst(stages as [Stage, Stage], only, scale, report)
    } else await measure(stages[0]!, scale, report)
    report.ratios()
    console.log(`\nMeasured in ${secondsSince(begun)}.`)
    return report.faults.length > 0 ? 1 : 0
  } catch (error) {
    console.error(`\n${stopping.signal.aborted ? 'Stopped.' : (error as Error).stack}`)
    return 1
  } finally {
    for (const stage of stages) await stage.putAway()
  }
}

async function measure(stage: Stage, scale: Scale, report: Report): Promise<void> {
  const parties = await step('Organisations', async () => {
    const parties = await makeParties(stage, scale.organizations)
    await connected(stage.databaseUrl, async (client) => {
      await keepSpecimens(client, INVOICE, parties)
      await writeBooking(client)
    })
    return [`${parties.length}, an approved invoice each`, parties]
  }, 'made')
  // The check of a large history compares the ledger with the invoices, so these organisations must have nothing else before.
  const [large, short, long, victim, neighbour, ...others] = parties as [Party, Party, Party, Party, Party, ...Party[]]
  // By name alone: they print tables of the documents, and compare nothing.
  if (only.includes('growth')) return measureGrowth(stage, scale, report)
  if (only.includes('processes')) return measureProcesses(stage, parties, report)
  if (only.includes('invoices')) await measureInvoices(stage, parties, scale, report)
  if (only.includes('writes')) await measureDocuments(stage, others, scale, report)
  if (only.includes('mixed')) await measureMixed(stage, others, scale, report)
  if (only.includes('conversions')) await measureConversions(stage, others, scale, report)
  if (only.includes('bulk')) await measureBulk(stage, others, scale, report)
  if (only.includes('webhooks')) await measureWebhooks(stage, others, scale, report)
  if (only.includes('schedules')) await measureSchedules(stage, others, scale, report)
  if (only.includes('reading')) await measureReading(stage, large, scale, report)
  if (only.includes('ledgers')) await measureLedgers(stage, [short, long], scale, report)
  if (only.includes('pdfs')) await measurePdfs(stage, others.slice(0, 2) as [Party, Party], scale, report)
  if (only.includes('bodies')) await measureBodies(stage, others[0]!, await newPartnerKey(stage), scale, report)
  if (only.includes('neighbours')) await measureNeighbours(stage, [victim, neighbour], scale, report)
  if (only.includes('webhook-neighbours')) await measureWebhookNeighbours(stage, others.slice(-7), scale, report)
}
