// Starts Azurite, Microsoft's stand-in for Azure Blob Storage, which holds attachments and rendered documents.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, lastLines, launch, type Launched, type StartedServer, sizeOf, sleep } from './process.ts'

export interface AzuriteOptions {
  /** Its account's key is kept in this folder too. */
  dataDir: string
  /** Without it, everything is kept in memory. */
  durable: boolean
  port: number
  log: string
  inherited: NodeJS.ProcessEnv
  onLaunch?: (launched: Launched) => void
  hurry?: AbortSignal
}

const ACCOUNT = 'bahi'

/** Starts Azurite on loopback; its `url` is a connection string. Throws an Error with the last lines of its log if it does not start. */
export async function startAzurite({
  dataDir,
  durable,
  port,
  log,
  inherited,
  onLaunch,
  hurry,
}: AzuriteOptions): Promise<StartedServer> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const key = accountKey(join(dataDir, 'account.key'))
  const from = sizeOf(log)
  const where = ['--blobHost', '127.0.0.1', '--blobPort', String(port)]
  const kept = durable ? ['--location', dataDir] : ['--inMemoryPersistence']
  // Telemetry is sent to Microsoft otherwise. The client may speak a newer version of the protocol.
  const quiet = ['--silent', '--disableTelemetry', '--skipApiVersionCheck']
  const args = [join(import.meta.dirname, 'azurite-program.mjs'), ...where, ...kept, ...quiet]
  const env = { ...inherited, AZURITE_ACCOUNTS: `${ACCOUNT}:${key}` }
  const launched = await launch({ name: 'Azurite', command: process.execPath, args, log, env })
  onLaunch?.(launched)
  const stop = () => end(launched, { patienceMs: 5_000, hurry })
  const deadline = Date.now() + 60_000
  while (!(await answersAt(port))) {
    if (launched.hasEnded() || Date.now() > deadline) {
      await stop()
      throw new Error(`Azurite does not come up; the last lines of ${log}:\n${lastLines(log, 15, from)}`)
    }
    await sleep(50)
  }
  const account = `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${key}`
  return { url: `${account};BlobEndpoint=${endpointOf(port)};`, process: launched, stop }
}

/** Whether Azurite responds at this port, be it with an error. */
export async function answersAt(port: number): Promise<boolean> {
  try {
    await fetch(endpointOf(port), { signal: AbortSignal.timeout(4_000) })
    return true
  } catch {
    return false
  }
}

const endpointOf = (port: number) => `http://127.0.0.1:${port}/${ACCOUNT}`

// Other users of the computer reach the port too, and the key that everybody knows would let them read the files.
function accountKey(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(64).toString('base64'), { mode: 0o600, flush: true })
  return readFileSync(file, 'utf8').trim()
}
