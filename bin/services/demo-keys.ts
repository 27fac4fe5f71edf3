// The keys to try a local run: those of an earlier run, or of a new demonstration organisation.
import type { LocalRun } from '../../settings.ts'
import { type DemoKeys, keptKeys } from './demo-card.ts'
import { step } from './steps.ts'

export async function demoKeys(local: LocalRun, databaseUrl: string, baseUrl: string): Promise<DemoKeys> {
  const kept = await keptKeys(local.dataDir, baseUrl)
  if (kept) {
    const { demoOwner } = await import('../seed.ts')
    return { ...kept, user: kept.user ?? (await demoOwner(databaseUrl, kept.organization.org_id)) }
  }
  return step<DemoKeys>(
    'Demo data',
    async () => {
      const { seedDemo } = await import('../seed.ts')
      const made = await seedDemo({ databaseUrl, baseUrl }).catch((error: Error) => {
        throw new Error(`The demonstration organisation could not be created: ${error.message}`, { cause: error })
      })
      return [made.organization.name, made]
    },
    'created',
  )
}
