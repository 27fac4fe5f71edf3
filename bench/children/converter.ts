// The engine of PDFs alone: converts merged documents, which is the least that a render takes.
import { readFileSync } from 'node:fs'
import { createPdfEngine } from '../../gateways/pdf/engine.ts'
import { type Figures, figuresOf } from '../figures.ts'
import { serveParent } from './parent.ts'

export interface ConverterJob {
  /** The folders in which LibreOffice is looked for. */
  path: string[]
  files: string[]
  clients: number
}

const LIMITS = { timeoutMs: 60_000, owner: 'bench' }
const log = { info: () => undefined, warn: () => undefined }
let engine: ReturnType<typeof createPdfEngine> | undefined

serveParent(async ({ path, files, clients }: ConverterJob): Promise<Figures> => {
  engine ??= createPdfEngine({ engine: 'auto', path, log })
  const documents = files.map((file) => readFileSync(file))
  const latencies: number[] = []
  const begun = performance.now()
  let next = 0
  await Promise.all(Array.from({ length: clients }, async () => {
    for (let document = documents[next++]; document; document = documents[next++]) {
      const start = performance.now()
      await engine!.toPdf(document, LIMITS)
      latencies.push(performance.now() - start)
    }
  }))
  return figuresOf(latencies, (performance.now() - begun) / 1000)
})
