// How a test file is loaded: by Node itself, once in each process, with the modules that the files before it have loaded.
import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { useGlobals } from './globals.js'

const Runtime = createRequire(import.meta.url)('jest-runtime').default
const GLOBALS = new URL('./globals.js', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
})

/**
 * Jest would load every module anew for each file, in a context of its own: half of the time of a small file, and code that
 * never gets warm. Nothing of ours is mocked, and a process of the service keeps its modules as well.
 */
class NodeRuntime extends Runtime {
  #environment

  constructor(config, environment, ...rest) {
    super(config, environment, ...rest)
    this.#environment = environment
  }

  async unstable_importModule(path) {
    // Jest's own matchers run in the context, and compare what a test gives them with these: expect.any(String).
    for (const name of BUILTINS) this.#environment.global[name] = globalThis[name]
    useGlobals(this.requireModuleOrMock(path, '@jest/globals'))
    await import(pathToFileURL(path).href)
  }
}

const BUILTINS = Object.getOwnPropertyNames(globalThis).filter(
  (name) => /^[A-Z]/.test(name) && typeof Object.getOwnPropertyDescriptor(globalThis, name).value === 'function',
)

export { NodeRuntime as 'module.exports' }
