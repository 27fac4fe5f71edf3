// The health port of an API: it is not its own port, and where it is to be the only one the other has no health checks and metrics.
import { expect, test } from '@jest/globals'
import pino from 'pino'
import { createApi } from '../../api/server.ts'
import { readSettings } from '../../settings.ts'
import { freePort } from '../../bin/services/port.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

test('HEALTH_PORT and PORT may not be the same', async () => {
  const { env } = service
  const api = createApi(readSettings({ ...env, PORT: '18080', HEALTH_PORT: '18080' }), pino({ level: 'silent' }))
  await expect(api.listen()).rejects.toThrow('HEALTH_PORT and PORT are both 18080; set HEALTH_PORT to another port')
  await api.close()
})

test.each(['PORT', 'HEALTH_PORT'])('a %s that is taken is named, with what to do', async (setting) => {
  const { port: taken } = new URL(service.origin)
  const api = createApi(readSettings({ ...service.env, PORT: '0', [setting]: taken }), pino({ level: 'silent' }))
  await expect(api.listen()).rejects.toThrow(
    `${setting} ${taken} of 127.0.0.1 cannot be listened on: another program has it: stop that program, or set ${setting} to another port`)
  await api.close()
})

test('with HEALTH_PORT_ONLY health checks and metrics are answered there alone', async () => {
  const health = await freePort(undefined)
  const { origin, close } = await service.another({ HEALTH_PORT: String(health), HEALTH_PORT_ONLY: 'true' })
  const statuses = async (at: string) => Promise.all(['/health/live', '/health/ready', '/metrics', '/docs'].map(async (path) => (await fetch(at + path)).status))
  expect(await statuses(origin)).toEqual([404, 404, 404, 200])
  expect(await statuses(`http://127.0.0.1:${health}`)).toEqual([200, 503, 200, 404])
  expect(await (await fetch(`${origin}/metrics`)).json()).toMatchObject({ code: 'not_found.route' })
  expect((await fetch(`${origin}/api/public/v1/ping`)).status).toBe(200)
  await close()
  const api = createApi(readSettings({ ...service.env, HEALTH_PORT_ONLY: 'true' }), pino({ level: 'silent' }))
  await expect(api.listen()).rejects.toThrow('HEALTH_PORT_ONLY needs a HEALTH_PORT')
  await api.close()
})
