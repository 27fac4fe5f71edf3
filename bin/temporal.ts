// `npm run temporal -- ARGUMENTS`: Temporal's CLI for the server of the settings, or of the local run; it shows what is encrypted in clear.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Payload } from '@temporalio/common'
import { openCodecServer } from '../gateways/temporal/codec-server.ts'
import { createPayloadCodec } from '../gateways/temporal/payload-codec.ts'
import { readLocalRun } from '../settings.ts'
import { operatorEnvironment } from './operator-settings.ts'
import { readCodecSettings } from './services/codec-settings.ts'
import { findTemporal } from './services/temporal-binary.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

try {
  const binary = await findTemporal({ ...readLocalRun(), say: console.error })
  const environment = operatorEnvironment()
  process.exit(await run(binary, { ...environment, TEMPORAL_CODEC_ENDPOINT: await codecEndpoint(environment) }))
} catch (error) {
  console.error((error as Error).message)
  process.exit(2)
}

/** That of the settings; otherwise one that decrypts with ENCRYPTION_KEY as long as the command runs. None where it is set to nothing. */
async function codecEndpoint(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { TEMPORAL_CODEC_ENDPOINT: given, ENCRYPTION_KEY: keys } = environment
  if (given !== undefined) return given || undefined
  if (!keys) return undefined
  const codec = createPayloadCodec(readCodecSettings({ ENCRYPTION_KEY: keys }).encryptionKey)
  // A history may have been encrypted with a key that is not known here. Its payloads are then shown as they are.
  const decode = (payloads: Payload[]) =>
    Promise.all(
      payloads.map((payload) =>
        codec.decode([payload]).then(
          ([read]) => read!,
          () => payload,
        ),
      ),
    )
  const { port } = await openCodecServer({ host: '127.0.0.1', port: 0, codec: { ...codec, decode }, origins: [] })
  return `http://127.0.0.1:${port}`
}

/** Runs the CLI on this terminal; answers its exit code, or that of a shell for a signal. */
function run(binary: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    // Before it starts, so that it never stays behind.
    for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
    const child = spawn(binary, process.argv.slice(2), { env, stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
  })
}
