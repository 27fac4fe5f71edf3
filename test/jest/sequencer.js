// The order of the test files: those that wait for long are spread among those that compute, so that no processor is idle.
import { createRequire } from 'node:module'

const Sequencer = createRequire(import.meta.url)('@jest/test-sequencer').default
/** The rules first, and what is short last: it fills the end of the run. */
const ORDER = ['domain', 'house', 'model-based', 'hammer', 'contract', 'api']
/** Files that wait most of their time: for a process that has to start, or for somebody who never answers. The longest first. */
const WAITING = [
  /^workflows\/(bulk-)?crashes\b/,
  /^operations\/(parts|runbooks|upgrade)\b/,
  /^kills\//,
  /^gateways\/pdf\b/,
  /^browser\//,
  /^workflows\/(recurring|neighbours|lost-data|conversions|housekeeping)\.test/,
  /^(start|operations)\//,
  /^workflows\//,
  /^api\/(connections|e-invoices|emails|hostile-uploads|ledger-stream|log-output|mail-events|pdfs|shutdown|slow-callers|webhook-recovery|webhook-resending)\.test/,
]

export default class SpreadsWaiting extends Sequencer {
  sort(tests) {
    const files = [...tests].sort((one, other) => one.path.localeCompare(other.path)).map((test) => ({ test, file: fileOf(test) }))
    const waiting = byRank(files, ({ file }) => WAITING.findIndex((those) => those.test(file)))
    const computing = byRank(files, ({ file }) => (WAITING.some((those) => those.test(file)) ? -1 : rank(file)))
    return spread(waiting, computing).map(({ test }) => test)
  }
}

// The path below test/.
const fileOf = ({ path }) => /[\\/]test[\\/](.*)$/.exec(path)[1].replaceAll('\\', '/')

/** The files with a rank from 0 on, in its order. */
const byRank = (files, rankOf) => files.filter((file) => rankOf(file) >= 0).sort((one, other) => rankOf(one) - rankOf(other))

function rank(file) {
  const place = ORDER.indexOf(/^[\w-]+(?=\/)/.exec(file)?.[0] ?? 'house')
  return place === -1 ? ORDER.length : place
}

/** Both in their order: two of `waiting` first, and the others as far as `computing` has come, so that they are begun before it ends. */
function spread(waiting, computing) {
  const whole = computing.reduce((sum, { file }) => sum + weight(file), 0)
  const all = waiting.slice(0, 2)
  let [begun, done] = [all.length, 0]
  for (const one of computing) {
    all.push(one)
    done += weight(one.file)
    const due = Math.min(waiting.length, Math.ceil((done / whole) * 1.25 * waiting.length))
    for (; begun < due; begun += 1) all.push(waiting[begun])
  }
  return [...all, ...waiting.slice(begun)]
}

const weight = (file) => (/^(domain|house)\b/.test(file) ? 0.05 : 1)
