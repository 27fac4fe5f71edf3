// Reads one long answer to its end again and again, and times its first byte and its last.
import http from 'node:http'
import { type Figures, figuresOf } from '../figures.ts'
import { serveParent } from './parent.ts'

export interface LedgerJob {
  url: string
  token: string
  clients: number
  seconds: number
}

export interface LedgerResult {
  firstByte: Figures
  whole: Figures
  bytes: number
}

serveParent(async ({ url, token, clients, seconds }: LedgerJob): Promise<LedgerResult> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const [first, whole]: [number[], number[]] = [[], []]
  let bytes = 0
  const begun = performance.now()
  await Promise.all(Array.from({ length: clients }, async () => {
    while (performance.now() - begun < seconds * 1000) {
      const start = performance.now()
      bytes = await readWhole(http.get(url, { agent, headers: { Authorization: `Bearer ${token}` } }), () => first.push(performance.now() - start))
      whole.push(performance.now() - start)
    }
  }))
  const took = (performance.now() - begun) / 1000
  agent.destroy()
  return { firstByte: figuresOf(first, took), whole: figuresOf(whole, took), bytes }
})

function readWhole(request: http.ClientRequest, onFirst: () => void): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => {
        if (bytes === 0) onFirst()
        bytes += part.length
      })
      response.on('error', reject)
      response.on('end', () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(`answered ${response.statusCode}`))))
    })
  })
}
