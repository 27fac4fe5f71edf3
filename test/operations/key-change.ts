// What stays open for long is started anew after a change of the key, as docs/running.md says, and nothing is left to the old one.
import { expect } from '@jest/globals'
import { examine } from '../../bin/doctor/examine.ts'
import { readSettings } from '../../settings.ts'
import type { Installation } from './installation.ts'

export async function renewOpenWorkflows({ temporalCli, operate }: Installation): Promise<void> {
  await temporalCli('workflow', 'terminate', '--query', "WorkflowType = 'recurringSchedule' AND ExecutionStatus = 'Running'", '--reason', 'new key', '--yes')
  await operate('reconcile')
  const listed = JSON.parse(await temporalCli('schedule', 'list', '--output', 'json')) as { scheduleId: string }[]
  const nightly = listed.map(({ scheduleId }) => scheduleId).filter((id) => id.startsWith('housekeeping/'))
  expect(nightly).toContain('housekeeping/Asia/Kolkata')
  for (const id of nightly) await temporalCli('schedule', 'delete', '--schedule-id', id)
}

/** What the doctor finds that the new key alone does not read. */
export async function unreadWith(key: string, { env }: Installation): Promise<string[]> {
  const findings = await examine(readSettings({ ...env, ENCRYPTION_KEY: key }), new Date())
  return findings.filter(({ check }) => check === 'encryption key').map(({ problem }) => problem)
}
