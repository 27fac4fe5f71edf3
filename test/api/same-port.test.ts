// An API whose health port is its own port says so, and does not start.
import { expect, test } from '@jest/globals'
import pino from 'pino'
import { createApi } from '../../api/server.ts'
import { readSettings } from '../../settings.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

test('HEALTH_PORT and PORT may not be the same', async () => {
  const { env } = service
  const api = createApi(readSettings({ ...env, PORT: '18080', HEALTH_PORT: '18080' }), pino({ level: 'silent' }))
  await expect(api.listen()).rejects.toThrow('HEALTH_PORT and PORT are both 18080; set HEALTH_PORT to another port')
  await api.close()
})
