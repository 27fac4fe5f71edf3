// How Jest runs the tests: TypeScript as ES modules, what starts whole services last.
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testSequencer: '<rootDir>/test/sequencer.js',
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
}
