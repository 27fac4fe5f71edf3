// Opens the ports of the API: for calls, and for health checks and metrics.
import {
  CannotListen,
  explainListening,
  openHealthPort,
  portProblem,
  type HealthPort,
  type HealthPortOptions,
} from '../gateways/health-port.ts'
import { originOf, type Settings } from '../settings.ts'
import { siteOf, type Site } from './http/cookies.ts'
import type { Listener } from './http/listener.ts'

export async function healthPortOf(
  settings: Settings,
  answers: HealthPortOptions['answers'],
): Promise<HealthPort | null> {
  const { healthPort: port, host } = settings
  const problem = portProblem(settings)
  if (problem !== null) throw new CannotListen(problem, { isFinal: true })
  return port === null ? null : openHealthPort({ port, host, answers })
}

/** Listens for calls. In place of port 0 the system chooses another, which the origin then has. */
export async function listenAt(listener: Listener, settings: Settings, site: Site): Promise<number> {
  const { port, host } = settings
  const taken = await listener.listen(port, host).catch(explainListening('PORT', port, host))
  Object.assign(site, siteOf(originOf({ ...settings, port: taken })))
  return taken
}
