// Starts redis-server, if it is installed, so that rate limits are counted as in production.
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { end, lastLines, launch, type Launched, type StartedServer, sizeOf, sleep } from './process.ts'

export interface RedisOptions {
  binary: string
  dataDir: string
  port: number
  log: string
  inherited: NodeJS.ProcessEnv
  onLaunch?: (launched: Launched) => void
  hurry?: AbortSignal
}

/** Starts redis-server on loopback; throws an Error with the last lines of its log if it does not start. */
export async function startRedis({
  binary,
  dataDir,
  port,
  log,
  inherited,
  onLaunch,
  hurry,
}: RedisOptions): Promise<StartedServer> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const from = sizeOf(log)
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dataDir, '--appendonly', 'yes', '--save', '']
  const launched = await launch({ name: 'Redis', command: binary, args, log, env: inherited })
  onLaunch?.(launched)
  const stop = () => end(launched, { patienceMs: 5000, hurry })
  const deadline = Date.now() + 15_000
  while (!(await answersPing(port))) {
    if (launched.hasEnded() || Date.now() > deadline) {
      await stop()
      throw new Error(`Redis does not come up; the last lines of ${log}:\n${lastLines(log, 15, from)}`)
    }
    await sleep(25)
  }
  return { url: `redis://127.0.0.1:${port}`, process: launched, stop }
}

// While Redis loads its data it answers with an error, so only +PONG counts.
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 })
    const answer = (good: boolean) => {
      socket.destroy()
      resolve(good)
    }
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (data) => answer(data.toString().startsWith('+PONG')))
    socket.once('error', () => answer(false)).once('timeout', () => answer(false))
  })
}
