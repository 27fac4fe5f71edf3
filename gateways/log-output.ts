// Writes the log of a process to its standard output without blocking the process: lines that cannot be written are dropped and counted.
import { constants, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { pino, type Logger } from 'pino'

type Destination = ReturnType<typeof pino.destination>

export interface LogOutput {
  log: Logger
  /** The number of lines dropped since the start, because the output accepted none for too long or has failed. */
  dropped(): number
  /** Writes the remaining lines, and ends the process with this code. Gives up where the output accepts nothing for two seconds, or not all in ten. */
  exit(code: number): Promise<never>
}

/** Of the line with which a process ends that would end alike however often it is started: the local run does not start it again. */
export const FINAL = { isFinal: true }

/** How much of the log may wait for the output; lines beyond it are dropped. */
export const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** Waiting is counted in turns of the event loop: on a busy machine the process that writes and the one that reads get few. */
const TURN_MS = 100
const TURNS_WITHOUT_PROGRESS = 20
const MAX_TURNS = 100
const STDOUT = 1

/** Opens the log of the process with this name. Lines are written in groups, at the latest after a quarter of a second. */
export function openLog(name: string, level: string): LogOutput {
  const { fd, blocks } = output()
  const out = pino.destination({
    fd,
    sync: false,
    minLength: 4096,
    periodicFlush: 250,
    maxLength: MAX_WAITING_BYTES,
  })
  let ending: Promise<never> | undefined
  const lost = { total: 0, unreported: 0, broken: false }
  const drop = () => {
    lost.total += 1
    lost.unreported += 1
  }
  out.on('drop', drop)
  // After a full volume writing is tried again with the next lines; a pipe without a reader accepts no more.
  out.on('error', (error: NodeJS.ErrnoException) => {
    lost.broken ||= error.code === 'EPIPE'
  })
  // pino gets only `write`: with the whole destination it would block to flush a fatal line.
  const log = pino(
    { level, base: { process: name } },
    { write: (line: string) => (lost.broken || ending !== undefined ? drop() : void out.write(line)) },
  )
  out.on('drain', () => {
    const { unreported } = lost
    lost.unreported = 0
    if (unreported > 0) log.warn({ dropped: unreported }, 'log lines were dropped')
  })
  const end = async (code: number): Promise<never> => {
    const isWritten = lost.broken || (await writeRest(out))
    // process.exit would wait for a thread that hangs in a write.
    if (!isWritten && blocks) process.kill(process.pid, 'SIGKILL')
    out.destroy()
    process.exit(code)
  }
  return {
    log,
    dropped: () => lost.total,
    exit: (code) => (ending ??= end(code)),
  }
}

// False where it gives up. `flush` would not do: while a write is under way it answers when that one ends, whatever has come since.
function writeRest(out: Destination): Promise<boolean> {
  return new Promise((resolve) => {
    let [turns, turnsWithoutProgress] = [0, 0]
    out.on('write', (bytes: number) => {
      if (bytes > 0) turnsWithoutProgress = 0
    })
    setInterval(() => {
      turns += 1
      turnsWithoutProgress += 1
      if (turnsWithoutProgress > TURNS_WITHOUT_PROGRESS || turns > MAX_TURNS) resolve(false)
    }, TURN_MS)
    out.once('close', () => resolve(true))
    out.once('error', () => resolve(true))
    out.end()
  })
}

// A write that does not fit must return at once instead of waiting for a reader. A pipe or a terminal is opened a second time
// for that, because other processes may share the standard output; a socket cannot be opened again. A file is written in a
// thread of its own.
function output(): { fd: number; blocks: boolean } {
  const kind = fstatSync(STDOUT)
  try {
    if (process.platform === 'linux' && (kind.isFIFO() || kind.isCharacterDevice())) {
      return {
        fd: openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK),
        blocks: false,
      }
    }
    if (kind.isSocket()) {
      // Wrapping the socket makes it non-blocking; this object reads and writes nothing.
      new Socket({ fd: STDOUT, readable: false, writable: false }).unref()
      return { fd: STDOUT, blocks: false }
    }
  } catch {
    // The pipe or terminal may belong to another user and not be opened.
  }
  return { fd: STDOUT, blocks: true }
}
