// What stays open for long is started anew after a change of the key, as docs/running.md says, and nothing is left to the old one.
import { examine } from '../../bin/doctor/examine.ts'
import { readSettings } from '../../settings.ts'
import type { Installation } from './installation.ts'

/** What the doctor finds that the new key alone does not read. */
export async function unreadWith(key: string, { env }: Installation): Promise<string[]> {
  const findings = await examine(readSettings({ ...env, ENCRYPTION_KEY: key }), new Date())
  return findings.filter(({ check }) => check === 'encryption key').map(({ problem }) => problem)
}
