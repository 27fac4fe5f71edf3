// The examples of the client's documents, run as they are printed: by name of the package, in a process of their own.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { fencesOf } from '../docs/examples.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { ROOT } from '../fixtures/root.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const folder = mkdtempSync(join(tmpdir(), 'bahi-client-'))
let org: TestOrganization

beforeAll(async () => {
  mkdirSync(join(folder, 'node_modules', '@bahi'), { recursive: true })
  symlinkSync(join(ROOT, 'client'), join(folder, 'node_modules', '@bahi', 'client'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  await service.startWorker()
  org = await openOrganization(service)
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

test.each(['docs/client.md', 'client/README.md'])('%s', async (document) => {
  const fences = fencesOf(document)
  const source = fences.filter(({ info }) => info[0] === 'ts' && info[1] !== 'no-run').map(({ text }) => text).join('\n')
  const printed = fences.filter(({ info }) => info[0] === 'text').map(({ text }) => text).join('')
  const file = join(folder, document.replaceAll(/\W/g, '-') + '.ts')
  writeFileSync(file, source)
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { ...process.env, BASE_URL: service.origin + BASE_PATH, TOKEN: org.client.token } })
  expect(source).toContain("from '@bahi/client'")
  expect(stdout).toBe(printed)
}, 120_000)
