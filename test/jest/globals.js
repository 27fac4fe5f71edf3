// What test files import from '@jest/globals': those of the file that runs, since a fixture is loaded once for many files.
let globals = {}

/** Takes the globals of the file that is to run. */
export function useGlobals(those) {
  globals = those
}

const current = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, args) => globals[name](...args),
    get: (_target, property) => globals[name][property],
  })

export const afterAll = current('afterAll')
export const afterEach = current('afterEach')
export const beforeAll = current('beforeAll')
export const beforeEach = current('beforeEach')
export const describe = current('describe')
export const expect = current('expect')
export const jest = current('jest')
export const test = current('test')
