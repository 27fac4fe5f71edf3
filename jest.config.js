// How Jest runs the tests: TypeScript as ES modules, several files side by side.
import { availableParallelism } from 'node:os'

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testSequencer: './test/sequencer.js',
  runner: './test/runner.js',
  // One more than processors, since much of the time is spent on waiting. A file may hold some forty connections, and the
  // PostgreSQL of the tests has 200.
  maxWorkers: Math.min(4, availableParallelism() + 1),
  // Kept from run to run; each entry is known by the text that it was made of.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  // A data folder of a running service is no part of the source.
  modulePathIgnorePatterns: ['<rootDir>/\\.data'],
  watchPathIgnorePatterns: ['<rootDir>/\\.data'],
  testTimeout: 30_000,
  // Modules of a file that is done are not given back: a worker that has grown is replaced by a new one.
  workerIdleMemoryLimit: '1GB',
  // To give back half a gigabyte takes a process longer than the half second that Jest takes for a leak.
  workerGracefulExitTimeout: 10_000,
}
