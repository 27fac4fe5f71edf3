// Organisations from before zones had one name get that name when the schema is brought up to date.
import { expect, test } from '@jest/globals'
import { migrate } from '../../models/migrate.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

test.each([['asia/kolkata', 'Asia/Kolkata'], ['Asia/Calcutta', 'Asia/Kolkata'], ['us/pacific', 'America/Los_Angeles'], ['Asia/Kolkata', 'Asia/Kolkata'], ['Mars/Olympus', 'Mars/Olympus']])(
  '%s becomes %s', async (zone, name) => {
    const { orgId } = await service.organization()
    await service.sql('UPDATE organizations SET time_zone = $2 WHERE id = $1', orgId, zone)
    for (let run = 0; run < 2; run += 1) {
      expect(await migrate(service.databaseUrl)).toEqual([])
      expect(await service.sql('SELECT time_zone FROM organizations WHERE id = $1', orgId)).toEqual([{ time_zone: name }])
    }
  })
