// The commands of operators for preferences, in processes of their own: npm run preferences and npm run einvoice.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { addBranch, openOrganization } from '../fixtures/organization.ts'
import { DEFAULTS, preferencesOf } from '../fixtures/preferences.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const run = (program: string, ...options: string[]) =>
  promisify(execFile)(process.execPath, [`bin/${program}.ts`, ...options], { env: { ...process.env, ...service.env, DATABASE_URL: service.databaseUrl } })

test('npm run preferences prints them, and changes them by a file', async () => {
  const { orgId } = await service.organization()
  const folder = await mkdtemp(join(tmpdir(), 'preferences-'))
  const preferences = (...more: string[]) => run('preferences', '--org', orgId, ...more)
  try {
    expect(JSON.parse((await preferences()).stdout)).toEqual(DEFAULTS)
    await writeFile(join(folder, 'good.json'), JSON.stringify({ pdf: { upiId: 'asha@hdfc' } }))
    expect(JSON.parse((await preferences('--file', join(folder, 'good.json'))).stdout).pdf.upiId).toBe('asha@hdfc')
    await writeFile(join(folder, 'bad.json'), JSON.stringify({ pdf: { upiId: 'asha' } }))
    await expect(preferences('--file', join(folder, 'bad.json'))).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('pdf.upiId must be a UPI address') })
    await expect(preferences('--file', join(folder, 'gone.json'))).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^ENOENT: [^\n]+\n$/) })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('npm run einvoice changes one part of a branch, and warns of a portal without credentials', async () => {
  const org = await openOrganization(service)
  const branch = await addBranch(service, org, 'IN-TN')
  const { change } = preferencesOf(service)
  expect((await change(org.orgId, { eInvoicing: { [branch]: { provider: 'irp' } } })).eInvoicing).toEqual({ [branch]: { enabled: false, provider: 'irp' } })
  const { stdout, stderr } = await run('einvoice', '--org', org.orgId, '--branch', branch, '--enable')
  expect(stdout).toBe('The branch registers e-invoices at the provider irp.\n')
  expect(stderr).toMatch(/^Warning: The branch has no credentials at the portal/)
  expect((await change(org.orgId, {})).eInvoicing).toEqual({ [branch]: { enabled: true, provider: 'irp' } })
})
