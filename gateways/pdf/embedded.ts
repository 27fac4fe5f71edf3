// Starts the embedded engine, LibreOffice as WebAssembly, in a process that can be killed.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PDF_OPTIONS, type Converter } from './converter.ts'

const CHILD = fileURLToPath(new URL('embedded-child.ts', import.meta.url))
const OPTIONS = JSON.stringify(
  Object.fromEntries(
    Object.entries(PDF_OPTIONS).map(([name, value]) => [name, { type: 'boolean', value: String(value) }]),
  ),
)

/** Whether the package of the embedded engine is installed. */
export function hasEmbedded(): boolean {
  try {
    return existsSync(fileURLToPath(import.meta.resolve('@matbee/libreoffice-converter/server')))
  } catch {
    return false
  }
}

type Message = { ready: true } | { pdf: Uint8Array } | { failed: string }

export function embeddedConverter(nice: number): Converter {
  // It gets nothing of our environment, which has the keys. A Ctrl-C in the terminal does not reach its group.
  const child = fork(CHILD, [String(nice)], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: {},
    detached: true,
  })
  child.on('error', () => undefined)
  const ready = answerOf(child).then((message) => {
    if (!('ready' in message)) throw new Error('the engine did not say that it is ready')
  })
  ready.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    ready,
    async convert(document) {
      const answered = answerOf(child)
      child.send({ document, options: OPTIONS }, () => undefined)
      const message = await answered
      if ('pdf' in message) return Buffer.from(message.pdf)
      throw new Error('failed' in message ? message.failed : 'the engine answered out of turn')
    },
    kill: () => void child.kill('SIGKILL'),
    ended: endOf(child),
  }
}

async function answerOf(child: ChildProcess): Promise<Message> {
  const [message] = (await once(child, 'message')) as [Message]
  return message
}

/** Resolves with the signal or exit code of a process, also where it could not be started. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`))
    child.once('error', (error) => child.pid === undefined && resolve(error.message))
  })
}
