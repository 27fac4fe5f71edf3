// The examples of the client's documents, run as they are printed: by name of the package, in a process of their own.
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'
import { DOCUMENTS, folderWith, runnable } from './example-modules.ts'

const service = await useService()
const folder = folderWith({ '@bahi/client': 'client' })

beforeAll(() => service.startWorker(), 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

test.each(DOCUMENTS)('%s', async (document) => {
  const { source, printed } = runnable(document)
  const file = join(folder, `${document.replaceAll(/\W/g, '-')}.ts`)
  writeFileSync(file, source)
  const { client } = await openOrganization(service)
  const env = { ...process.env, BASE_URL: service.origin + BASE_PATH, TOKEN: client.token }
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
  expect(source).toContain("from '@bahi/client'")
  expect(stdout).toBe(printed)
}, 120_000)
