// The order of the test files: the rules first, then what waits for long, so that it does so beside all the others.
import { createRequire } from 'node:module'

const Sequencer = createRequire(import.meta.url)('@jest/test-sequencer').default
const ORDER = ['domain', 'house', 'kills', 'workflows', 'start', 'model', 'hammer', 'contract', 'api']

export default class LongWaitsFirst extends Sequencer {
  sort(tests) {
    return [...tests].sort((one, other) => rank(one) - rank(other) || one.path.localeCompare(other.path))
  }
}

// A folder that is not listed comes last: its files are short.
function rank({ path }) {
  const folder = /[\\/]test[\\/]([^\\/]+)[\\/]/.exec(path)?.[1] ?? 'house'
  const place = ORDER.indexOf(folder)
  return place === -1 ? ORDER.length : place
}
