// A program for pdf.test.ts: uses an engine, prints its processes, and converts until it is killed.
import { readdirSync, readFileSync } from 'node:fs'
import { createPdfEngine } from '../../gateways/pdf/engine.ts'
import { flatOdt } from '../fixtures/flat-odt.ts'

const [, , engineName, path] = process.argv as [string, string, 'embedded' | 'soffice', string]
const log = { info: () => undefined, warn: () => undefined }
const engine = createPdfEngine({ engine: engineName, path: path.split(':'), log })
const convert = () => engine.toPdf(flatOdt(500), { timeoutMs: 300_000, owner: '' })

await convert()
console.log(JSON.stringify({ pids: engine.pids().flatMap(groupOf) }))
for (;;) await convert()

// LibreOffice is several processes of one group.
function groupOf(leader: number): number[] {
  if (process.platform !== 'linux') return [leader]
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2] === String(leader)
    } catch {
      return false
    }
  })
}
