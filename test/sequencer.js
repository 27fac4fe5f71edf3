// The order of the test files: the rules first, then what needs a database, whole services last.
import { createRequire } from 'node:module'

const Sequencer = createRequire(import.meta.url)('@jest/test-sequencer').default
const ORDER = ['domain', 'contract', 'api', 'stories', 'workflows', 'replay', 'hammer', 'start', 'kills']

export default class OneAfterAnother extends Sequencer {
  sort(tests) {
    return [...tests].sort((one, other) => rank(one) - rank(other) || one.path.localeCompare(other.path))
  }
}

// A folder that is not listed comes after the rules and before the stories.
function rank({ path }) {
  const folder = /[\\/]test[\\/]([^\\/]+)[\\/]/.exec(path)?.[1] ?? ''
  const place = ORDER.indexOf(folder)
  return place === -1 ? 2.5 : place
}
