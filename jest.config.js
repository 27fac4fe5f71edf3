// The configuration of Jest: TypeScript as ES modules, several files in parallel.
import { availableParallelism } from 'node:os'

// While it watches, a changed file must be read again, which Node's own modules are not.
const isWatching = process.argv.some((argument) => argument.startsWith('--watch'))

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  ...(isWatching ? {} : { runtime: '<rootDir>/test/jest/runtime.js' }),
  testSequencer: './test/jest/sequencer.js',
  // Two more than there are processors, because tests wait much of the time. At most four, because a file may open
  // about 40 connections, and the PostgreSQL of the tests allows 200.
  maxWorkers: Math.min(4, availableParallelism() + 2),
  // Kept between runs; each entry is keyed by a hash of its source.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // Tests import what they use of Jest. A package that finds `it` and `describe` may take the process for its own tests.
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  // For --watch; otherwise Node reads TypeScript itself.
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: true },
    ],
  },
  // The data folder of a running service is not part of the source.
  modulePathIgnorePatterns: ['<rootDir>/\\.data', '<rootDir>/client/dist'],
  watchPathIgnorePatterns: ['<rootDir>/\\.data'],
  // A limit for what hangs, not for what is slow: a hook that starts a worker has taken half a minute on a busy machine.
  testTimeout: 120_000,
  // What test files leave behind in a process is not all freed, so a process that has grown is replaced.
  workerIdleMemoryLimit: '1GB',
  // A process that uses half a gigabyte takes longer to exit than the 500 ms after which Jest reports a leak.
  workerGracefulExitTimeout: 10_000,
}
