// Mounts the pages at the origin, outside of the API: health checks, metrics, documentation and the console.
import type { Registry } from 'prom-client'
import { fault } from '../domain/faults.ts'
import { mountConsole } from './console-pages.ts'
import { docs, live, metrics, readiness, type Plain, type Readiness } from './http/origin.ts'
import type { Unmatched } from './http/unmatched.ts'
import { mount, send, sendBytes, type MountedRequest, type RestServer } from './mount.ts'

export type OriginAnswers = Record<string, () => Plain | Promise<Plain>>

/** What is answered at PORT, at HEALTH_PORT, or at both. */
export const healthAnswers = (parts: () => Promise<Readiness>, registry: Registry): OriginAnswers => ({
  '/health/live': live,
  '/health/ready': async () => readiness(await parts()),
  '/metrics': () => metrics(registry),
})

export function mountOrigin(server: RestServer, unmatched: Unmatched, answers: OriginAnswers): void {
  const plain = (path: string, answer: (request: MountedRequest) => Promise<Plain | null> | Plain) =>
    mount(server, 'GET', path, async (request, response) => {
      const answered = await answer(request)
      if (answered === null) return send(response, unmatched.replyTo(request, fault('not_found.route')))
      sendBytes(response, answered.status, answered.body, { ...unmatched.headers(), 'Content-Type': answered.type })
    })
  for (const [path, answer] of Object.entries(answers)) plain(path, answer)
  plain('/docs', () => docs(''))
  plain('/docs/:name', (request) => docs(request.params?.name ?? ''))
  mountConsole(server, unmatched)
}
