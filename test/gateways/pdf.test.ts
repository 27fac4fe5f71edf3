// The engines of PDFs: what they make, and what becomes of those that hang, die, idle or are left behind.
import { describe, expect, jest, test, afterAll } from '@jest/globals'
import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { imageSize } from 'image-size'
import { onPath } from '../../bin/services/process.ts'
import type { PrintedDocument } from '../../domain/print/printed-document.ts'
import { createPdfEngine, type PdfEngine } from '../../gateways/pdf/engine.ts'
import { merge } from '../../gateways/pdf/merge.ts'
import { NotConverted, PdfEngineUnavailable, type ProcessLimits } from '../../gateways/pdf/supervised.ts'
import { drawnCode } from '../../reports/print/codes.ts'
import { readLocalRun } from '../../settings.ts'
import { flatOdt } from '../fixtures/flat-odt.ts'
import { ROOT } from '../fixtures/root.ts'

// The engines let everybody else go first, so on a busy machine they take their time.
jest.setTimeout(600_000)

const local = readLocalRun()
const run = promisify(execFile)
const log = { info: () => undefined, warn: () => undefined }
const LIMITS: ProcessLimits = { startMs: 300_000, idleMs: 300_000, renewAfter: 200, mostWaiting: 40, mostOfOwner: 40 }
const limits = { timeoutMs: 300_000, owner: 'an organisation' }

const opened: PdfEngine[] = []
afterAll(() => Promise.all(opened.map((engine) => engine.close())))

function engineOf(engine: 'embedded' | 'soffice', differing: Partial<ProcessLimits> = {}, shortBytes = 10_000_000): PdfEngine {
  const each = { ...LIMITS, ...differing }
  const made = createPdfEngine({ engine, path: local.path, log }, { short: each, long: each, shortBytes })
  opened.push(made)
  return made
}

const pidOf = (engine: PdfEngine) => engine.pids()[0] ?? null

const isAlive = (pid: number | null) => {
  try {
    return pid !== null && process.kill(pid, 0)
  } catch {
    return false
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(20)
}

const TOOLS = { pdftotext: ['-raw', '-', '-'], pdfinfo: ['-'], pdffonts: ['-'], pdfimages: ['-list', '-'] }
async function pdfTool(program: keyof typeof TOOLS, pdf: Buffer, ...args: string[]): Promise<string> {
  const asked = run(program, [...TOOLS[program], ...args], { maxBuffer: 2 ** 26 })
  asked.child.stdin!.end(pdf)
  return (await asked).stdout
}

const hasTools = onPath('pdftotext', local.path) !== null || local.ci
// With CI=true a missing LibreOffice is a failure, not a reason to pass.
const isInstalled = createPdfEngine({ engine: 'auto', path: local.path, log }).name === 'soffice' || local.ci
const ENGINES = isInstalled ? (['embedded', 'soffice'] as const) : (['embedded'] as const)
if (!isInstalled) console.warn('PDFs are tested with the embedded engine alone, and the two engines are not compared: LibreOffice is not installed.')
if (!hasTools) console.warn('What PDFs hold is not tested: pdftotext is not installed.')

describe.each(ENGINES)('the %s engine', (name) => {
  const engine = engineOf(name)

  test('converts a document to a tagged PDF with its title', async () => {
    expect(pidOf(engine)).toBeNull()
    const pdf = await engine.toPdf(flatOdt(1, 'Invoice INV-7 of Asha &amp; Co'), limits)
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    // Whatever the priority of its parent, it stands back as far as that; Windows has other ones.
    if (process.platform !== 'win32') expect(getPriority(pidOf(engine)!)).toBe(10)
    expect(pdf.toString('latin1')).toMatch(/\/Lang\s*\(en-IN\)/)
    if (!hasTools) return
    const about = await pdfTool('pdfinfo', pdf)
    expect(about).toMatch(/^Title: +Invoice INV-7 of Asha & Co$/m)
    expect(about).toMatch(/^Tagged: +yes$/m)
    expect(await pdfTool('pdftotext', pdf)).toContain('1 Item 1 चाय தேநீர் ₹1,00,000.00')
  })

  test('has a glyph for every letter of a document in the scripts of India, and its codes as they were drawn', async () => {
    const text = readFileSync(join(ROOT, 'templates', 'samples', 'invoice-every-script.json'), 'utf8')
    const data = JSON.parse(text) as PrintedDocument
    const pictures = { 'signed-qr': drawnCode('signed-qr', data.irn.repeat(15)), 'upi-qr': drawnCode('upi-qr', `upi://pay?pa=${data.upi_id}`) }
    const pdf = await engine.toPdf(await merge('invoice-classic', data, pictures), limits)
    if (!hasTools) return
    const printed = (await pdfTool('pdftotext', pdf)).replace(/\s/g, '')
    for (const line of data.lines) expect(printed.split(line.name.replace(/\s/g, ''))).toHaveLength(3)
    // A letter without a glyph would be taken from another font, or from none.
    const fonts = new Set([...(await pdfTool('pdffonts', pdf)).matchAll(/^\w+\+NotoSans(\w*)-(?:Regular|Bold)\b/gm)].map(([, script]) => script))
    expect([...fonts].sort()).toEqual(['', 'Bengali', 'Devanagari', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Oriya', 'Tamil', 'Telugu'])
    expect((await pdfTool('pdffonts', pdf)).trim().split('\n')).toHaveLength(2 + 2 * fonts.size)
    const images = await pdfTool('pdfimages', pdf)
    expect([...images.matchAll(/ image .*? (\d+) +(\d+) +\S+ +\d +\d +(\w+)/g)].map(([, width, , stored]) => [Number(width), stored]))
      .toEqual(Object.values(pictures).map((picture) => [imageSize(picture).width, 'image']))
  })

  test('repeats a document in a new process when the process hangs, or dies', async () => {
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
      await engine.toPdf(flatOdt(1), limits)
      const hanging = pidOf(engine)!
      process.kill(hanging, signal)
      const pdf = await engine.toPdf(flatOdt(1), { ...limits, timeoutMs: name === 'soffice' ? 15_000 : 25_000 })
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
      expect(pidOf(engine)).not.toBe(hanging)
      await until(() => !isAlive(hanging))
    }
  })

  test('refuses what is no document', async () => {
    await expect(engine.toPdf(Buffer.from('Dear customer'), limits)).rejects.toThrow(NotConverted)
  })

  test('ends when the process that uses it is killed', async () => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'pdf-user.ts'), name, local.path.join(':')], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(child.stdout)
    const { pids } = JSON.parse(line) as { pids: number[] }
    expect(pids.every(isAlive)).toBe(true)
    child.kill('SIGKILL')
    await until(() => !pids.some(isAlive))
  })
})

async function once(stream: AsyncIterable<Buffer>): Promise<[string]> {
  for await (const chunk of stream) return [String(chunk)]
  throw new Error('it printed nothing')
}

const name = ENGINES.at(-1)!

describe('any engine', () => {
  test('is renewed after so many documents, and ends when it is idle', async () => {
    const engine = engineOf(name, { renewAfter: 2, idleMs: 50 })
    const pids: (number | null)[] = []
    for (let at = 0; at < 3; at += 1) {
      // The second document ends the process.
      pids.push(await Promise.all([engine.toPdf(flatOdt(1), limits), untilStarted(engine)]).then(([, pid]) => pid))
      if (at === 1) expect(pidOf(engine)).toBeNull()
    }
    expect(pids[1]).not.toBe(pids[2])
    await until(() => pidOf(engine) === null && !pids.some(isAlive))
  })

  test('converts in turns of the organisations, and refuses when too many wait', async () => {
    const engine = engineOf(name, { mostWaiting: 6 })
    const order: string[] = []
    const asked = ['A', 'A', 'A', 'A', 'B', 'A'].map((owner) => engine.toPdf(flatOdt(1), { ...limits, owner }).then(() => order.push(owner)))
    expect(() => engine.refuseIfFull('C')).toThrow(PdfEngineUnavailable)
    await expect(engine.toPdf(flatOdt(1), { ...limits, owner: 'C' })).rejects.toThrow(PdfEngineUnavailable)
    await Promise.all(asked)
    expect(order.indexOf('B')).toBeLessThan(3)
  })

  test('refuses an owner who has too many waiting, and no other', async () => {
    const engine = engineOf(name, { mostOfOwner: 2 })
    const asked = ['A', 'A', 'B'].map((owner) => engine.toPdf(flatOdt(1), { ...limits, owner }))
    expect(() => engine.refuseIfFull('A')).toThrow(PdfEngineUnavailable)
    await expect(engine.toPdf(flatOdt(1), { ...limits, owner: 'A' })).rejects.toThrow(PdfEngineUnavailable)
    await Promise.all(asked)
    await engine.toPdf(flatOdt(1), { ...limits, owner: 'A' })
  })

  test('converts short documents while long ones are converted', async () => {
    const engine = engineOf(name, {}, flatOdt(100).length)
    await engine.toPdf(flatOdt(500), limits)
    const long = pidOf(engine)!
    process.kill(long, 'SIGSTOP')
    const waiting = Promise.allSettled([1, 2].map(() => engine.toPdf(flatOdt(500), limits)))
    const pdf = await engine.toPdf(flatOdt(1), { ...limits, owner: 'another' })
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect([engine.pids().length, engine.waiting()]).toEqual([2, 2])
    process.kill(long, 'SIGKILL')
    expect((await waiting).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })

  test('leaves nothing behind when it is closed, also in the middle of a document', async () => {
    const engine = engineOf(name)
    const asked = engine.toPdf(flatOdt(500), limits)
    const pid = await untilStarted(engine)
    await Promise.all([engine.close(), expect(asked).rejects.toThrow()])
    await until(() => !isAlive(pid))
  })
})

async function untilStarted(engine: PdfEngine): Promise<number> {
  await until(() => pidOf(engine) !== null)
  return pidOf(engine)!
}

if (ENGINES.length === 2 && hasTools) test('both engines break lines and pages alike', async () => {
  const both = ENGINES.map((each) => engineOf(each))
  for (const lines of [1, 40, 500]) {
    const [one, other] = await Promise.all(both.map(async (engine) => {
      const pdf = await engine.toPdf(flatOdt(lines), limits)
      return { pages: /Pages: +(\d+)/.exec(await pdfTool('pdfinfo', pdf))![1], text: await pdfTool('pdftotext', pdf) }
    }))
    expect(one).toEqual(other)
  }
})

test('LibreOffice is looked for where it is asked for', () => {
  expect(createPdfEngine({ engine: 'embedded', path: local.path, log }).name).toBe('embedded')
  if (existsSync('/usr/lib/libreoffice/program/soffice')) expect(createPdfEngine({ engine: 'auto', path: [], log }).name).toBe('soffice')
})
