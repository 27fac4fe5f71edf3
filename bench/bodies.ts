// Measures, for each route, the CPU time of the API for the most expensive request body.
import { BODY_LIMIT } from '../api/http/body.ts'
import type { Route } from '../api/http/route.ts'
import { routesOf } from '../api/routes.ts'
import { BASE_PATH } from '../api/server.ts'
import type { SendJob, SendResult } from './children/send.ts'
import { startChild, type Child } from './children/parent.ts'
import { cpuMs } from './consumption.ts'
import { nastyBodies, nastyOfShape, type NastyBody } from './nasty-bodies.ts'
import type { Party } from './parties.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'

const NO_SUCH_ID = '00000000-0000-7000-8000-000000000000'
const AIM_MS = 100

interface Worst {
  ms: number
  body: string
  status: number
}

/** Sends the most expensive bodies of 2 MB to every route with a body, one at a time, and prints the worst of each route. */
export async function measureBodies(stage: Stage, { token }: Party, partnerKey: string, scale: Scale, report: Report): Promise<void> {
  const general = nastyBodies(BODY_LIMIT - 1_000)
  const routes = routesOf({ publicUrl: 'http://bench' }).filter(({ body }) => body !== undefined)
  console.log('\nThe dearest body of each route: CPU ms of the API for one request\n')
  const child = startChild('send.ts', stage.stopping)
  let worst = 0
  try {
    for (const route of routes) {
      const headers: Record<string, string> = route.by === 'partner' ? { 'X-Partner-Key': partnerKey } : { Authorization: `Bearer ${token}` }
      const bodies = [...(route.bodyLimit ? nastyBodies(route.bodyLimit - 1_000) : general), ...nastyOfShape(route.body!, BODY_LIMIT)]
      const found = await worstOf(bodies, (body) => costOf(stage, child, { route, headers, body, tries: scale.bodyTries }))
      worst = Math.max(worst, found.ms)
      console.log([`${route.method} ${route.path}`.padEnd(58), found.ms.toFixed(0).padStart(6), String(found.status).padStart(5), ` ${found.body}`].join(' '))
    }
  } finally {
    await child.stop()
  }
  report.aim({ name: 'the dearest body of all: CPU ms of the API', value: worst, atMost: AIM_MS })
}

async function worstOf(bodies: NastyBody[], costOfBody: (body: NastyBody) => Promise<Worst>): Promise<Worst> {
  let worst: Worst = { ms: 0, body: '', status: 0 }
  for (const body of bodies) {
    const cost = await costOfBody(body)
    if (cost.ms > worst.ms) worst = cost
  }
  return worst
}

interface Sending {
  route: Route
  headers: Record<string, string>
  body: NastyBody
  tries: number
}

// The best of a few tries, because other work of the process, above all garbage collection, is not the cost of the body.
async function costOf(
  stage: Stage, child: Child, { route, headers, body: { name, text }, tries }: Sending,
): Promise<Worst> {
  let best = Infinity
  let status = 0
  for (let attempt = 0; attempt < tries; attempt += 1) {
    stage.stopping.throwIfAborted()
    const key: Record<string, string> = route.method === 'POST' ? { 'Idempotency-Key': crypto.randomUUID() } : {}
    const before = cpuMs(stage.pids.api)
    const path = BASE_PATH + route.path.replaceAll(/\{\w+\}/g, NO_SUCH_ID)
    status = (await child.ask<SendJob, SendResult>({ port: stage.port, method: route.method, path, headers: { ...headers, ...key }, body: text })).status
    best = Math.min(best, cpuMs(stage.pids.api) - before)
  }
  return { ms: best, body: name, status }
}
