// Runs the test files side by side, and those that measure how long things take afterwards, one by one.
import { createRequire } from 'node:module'

const TestRunner = createRequire(import.meta.url)('jest-runner').default

/** They say how soon something must be done, with little to spare: a neighbour on the same cores would be measured too. */
const MEASURING = ['test/api/rate-limit.test.ts', 'test/gateways/sender.test.ts', 'test/start/start.test.ts']

export default class MeasuringLast extends TestRunner {
  async runTests(tests, watcher, options) {
    const isMeasuring = ({ path }) => MEASURING.some((name) => path.endsWith(name))
    const sideBySide = tests.filter((test) => !isMeasuring(test))
    const oneByOne = tests.filter(isMeasuring)
    if (sideBySide.length > 0) await super.runTests(sideBySide, watcher, options)
    if (oneByOne.length === 0) return
    this._globalConfig = { ...this._globalConfig, maxWorkers: 1 }
    await super.runTests(oneByOne, watcher, options)
  }
}
