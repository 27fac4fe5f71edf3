// Measures PDFs: rendered anew beside the bare converter, kept ones beside single reads, and invoices while PDFs are rendered.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { step } from '../bin/services/steps.ts'
import { INVOICE_TEMPLATES, type InvoiceTemplate } from '../domain/preferences.ts'
import { merge } from '../gateways/pdf/merge.ts'
import { openDatabase } from '../models/database.ts'
import { readPrinted } from '../reports/print/printed.ts'
import type { ConverterJob } from './children/converter.ts'
import type { Call } from './children/load.ts'
import { startChild } from './children/parent.ts'
import { cpuSeconds, descendants, memoryMb } from './consumption.ts'
import type { Figures } from './figures.ts'
import { byService, byServiceOnce } from './measuring.ts'
import { approvedInvoice, post, type Party } from './parties.ts'
import type { Report } from './report.ts'
import { inRounds, type Way } from './rounds.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'

const PATH = '/api/public/v1/invoices'
const AT_ONCE = [1, 4]
const WRITERS = 2
const [PREFERRED, ...OTHER_TEMPLATES] = INVOICE_TEMPLATES as readonly [InvoiceTemplate, ...InvoiceTemplate[]]

/** `asking` has its invoices printed; `writing` writes invoices meanwhile. */
export async function measurePdfs(stage: Stage, [asking, writing]: [Party, Party], scale: Scale, report: Report): Promise<void> {
  const wanted = scale.rounds * scale.pdfs * AT_ONCE.length
  const ids = await step('Invoices', async () => [`${wanted} to print`, await invoicesOf(stage, asking, wanted)], 'made')
  const files = await step('Documents', async () => [`merged into ${PREFERRED}`, await mergedFiles(stage, asking, ids)], 'made')
  await measureFresh(stage, asking, { ids, files }, scale, report)
  await measureKept(stage, asking, ids, scale, report)
  await measureBeside(stage, { asking, writing }, ids, scale, report)
}

const pdf = ({ token }: Party, id: string, template: string): Call => ({ method: 'GET', path: `${PATH}/${id}/pdf?template=${template}`, token, body: null })

async function measureFresh(
  stage: Stage, party: Party, { ids, files }: { ids: string[]; files: string[] }, scale: Scale, report: Report,
): Promise<void> {
  report.section('PDFs of invoices of three lines, rendered anew')
  const each = scale.rounds * scale.pdfs
  // The first call starts the engine, and the first of a template reads it.
  await byServiceOnce(stage, '', [pdf(party, ids[0]!, OTHER_TEMPLATES[0]!)], 1, 1).round(0)
  for (const [place, clients] of AT_ONCE.entries()) {
    const [from, to] = [place * each, (place + 1) * each]
    const others = beside(stage)
    const [service, bare] = await inRounds([
      byServiceOnce(stage, 'GET /invoices/{id}/pdf, fresh', ids.slice(from, to).map((id) => pdf(party, id, PREFERRED)), clients, scale.rounds),
      byConverter(stage, files.slice(from, to), clients, scale.rounds),
    ], { rounds: scale.rounds, clients, report, stopping: stage.stopping })
    console.log(others(each))
    report.aim({ name: `fresh PDFs, ${clients} at once: service / bare converter`, value: service!.rate / bare!.rate, atLeast: 0.8 })
  }
}

/** The floor: the same merged documents, given to the same engine directly. */
function byConverter({ pids, path, stopping }: Stage, files: string[], clients: number, rounds: number): Way {
  const child = startChild('converter.ts', stopping)
  const convert = (some: string[]) => child.ask<ConverterJob, Figures>({ path, files: some, clients })
  const from = (place: number) => Math.floor((place * files.length) / rounds)
  return {
    measure: '  floor: the bare converter', pids: { ...pids, client: child.pid },
    warmUp: () => convert(files.slice(0, 3)),
    round: (place) => convert(files.slice(from(place), from(place + 1))),
    close: () => child.stop(),
  }
}

/** What the processes beside the service use, until the returned function is called: their line for so many renders. */
function beside({ pids, temporalPid, azuritePid }: Stage): (renders: number) => string {
  const engine = () => descendants(pids.worker).slice(1)
  const processes = { LibreOffice: engine, Temporal: () => [temporalPid], Azurite: () => [azuritePid] }
  const before = Object.values(processes).map((of) => cpuSeconds(of()))
  return (renders) => `  beside them, CPU ms for a render and MB: ${Object.entries(processes).map(([name, of], place) => (
    `${name} ${(((cpuSeconds(of()) - before[place]!) * 1000) / renders).toFixed(0)} and ${of().map(memoryMb).reduce((sum, one) => sum + one, 0).toFixed(0)}`
  )).join(', ')}`
}

async function measureKept(stage: Stage, party: Party, ids: string[], scale: Scale, report: Report): Promise<void> {
  report.section('PDFs that are kept, beside single reads of the same invoices')
  const some = ids.slice(0, 50)
  for (const clients of [...new Set([1, 4, ...scale.clients])].sort((a, b) => a - b)) {
    const pace = { clients, seconds: scale.seconds, warmSeconds: scale.warmSeconds }
    const [kept, single] = await inRounds([
      byService(stage, 'GET /invoices/{id}/pdf, cached', some.map((id) => pdf(party, id, PREFERRED)), pace),
      byService(stage, '  beside: GET /invoices/{id}', some.map((id): Call => ({ method: 'GET', path: `${PATH}/${id}`, token: party.token, body: null })), pace),
    ], { rounds: scale.rounds, clients, report, stopping: stage.stopping })
    const ratio = kept!.rate / single!.rate
    report.aim({ name: `cached PDFs, ${clients} at once: cached / single reads`, value: ratio, ...(kept!.rate < 1_000 && { atLeast: 0.4 }) })
    report.aim({ name: `cached PDFs, ${clients} at once: calls a second / 1,000`, value: kept!.rate / 1_000, ...(ratio < 0.4 && { atLeast: 1 }) })
  }
}

async function measureBeside(
  stage: Stage, { asking, writing }: { asking: Party; writing: Party }, ids: string[], scale: Scale, report: Report,
): Promise<void> {
  report.section('Approved invoices while another organisation has PDFs rendered, 4 at once')
  const pace = { clients: WRITERS, seconds: scale.seconds, warmSeconds: scale.warmSeconds }
  const calls = OTHER_TEMPLATES.flatMap((template) => ids.map((id) => pdf(asking, id, template))).slice(1)
  const alone = byService(stage, 'POST /invoices, alone', [approvedInvoice(writing)], pace)
  const busy = byService(stage, 'POST /invoices, while PDFs are rendered', [approvedInvoice(writing)], pace)
  let rendered = 0
  const rendering = async <T>(work: Promise<T>): Promise<T> => {
    const over = new AbortController()
    void work.finally(() => over.abort()).catch(() => undefined)
    await Promise.all(Array.from({ length: 4 }, async () => {
      for (let call = calls.shift(); call && !over.signal.aborted; call = over.signal.aborted ? undefined : calls.shift()) {
        const answer = await fetch(`http://127.0.0.1:${stage.port}${call.path}`, { headers: { Authorization: `Bearer ${call.token}` } })
        await answer.arrayBuffer()
        if (answer.headers.get('x-svc-render') !== 'fresh') throw new Error(`a render answered ${answer.status}`)
        rendered += 1
      }
    }))
    return work
  }
  const besideRenders: Way = { ...busy, round: (place) => rendering(busy.round(place)) }
  const [without, beside] = await inRounds(
    [alone, besideRenders], { rounds: scale.rounds, clients: WRITERS, report, stopping: stage.stopping },
  )
  console.log(`  ${rendered} PDFs were rendered meanwhile`)
  report.must(calls.length > 0, 'there were too few PDFs to render beside the invoices')
  report.aim({ name: 'POST /invoices while PDFs are rendered: p99 / alone', value: beside!.p99Ms / without!.p99Ms, atMost: 1.5 })
}

async function invoicesOf(stage: Stage, party: Party, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) {
    stage.stopping.throwIfAborted()
    const headers = { Authorization: `Bearer ${party.token}` }
    const { invoice } = await post<{ invoice: { invoice_id: string } }>(`${stage.baseUrl}/invoices`, headers, approvedInvoice(party).body)
    ids.push(invoice.invoice_id)
  }
  return ids
}

/** The invoices as the worker gives them to the engine, one file each. */
async function mergedFiles(stage: Stage, { orgId }: Party, ids: string[]): Promise<string[]> {
  const database = openDatabase({ url: stage.databaseUrl, pool: 1, name: 'bahi bench' })
  const folder = join(stage.folder, 'merged')
  mkdirSync(folder)
  const files: string[] = []
  for (const id of ids) {
    const { data, pictures } = (await readPrinted({ database, orgId }, 'INVOICE', id, PREFERRED))!
    const file = join(folder, `${id}.fodt`)
    writeFileSync(file, await merge(`invoice-${PREFERRED}`, data, pictures as Record<string, Buffer>))
    files.push(file)
  }
  await database.close()
  return files
}
