// The log of a process on its standard output, which never holds the process up: what cannot be written is dropped and counted.
import { constants, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { pino, type Logger } from 'pino'

export interface LogOutput {
  log: Logger
  /** Lines that were dropped since the start, because the output took none for too long or has failed. */
  dropped(): number
  /** Writes what is left, for a second at most, and ends the process with this code. */
  exit(code: number): Promise<never>
}

/** Lines that wait for the output; what comes on top is dropped. */
export const MOST_WAITING_BYTES = 4 * 1024 * 1024
const FLUSH_MS = 1_000
const STDOUT = 1

/** Opens the log of the process of this name. Lines are written a few at a time, at the latest after a quarter of a second. */
export function openLog(name: string, level: string): LogOutput {
  const { fd, blocks } = output()
  let givesUpAt = Infinity
  const out = pino.destination({
    fd, sync: false, minLength: 4096, periodicFlush: 250, maxLength: MOST_WAITING_BYTES,
    retryEAGAIN: () => Date.now() < givesUpAt,
  })
  const lost = { total: 0, unreported: 0, broken: false }
  const drop = () => {
    lost.total += 1
    lost.unreported += 1
  }
  out.on('drop', drop)
  // A full volume is tried again with the next lines; a pipe whose reader has gone takes no more.
  out.on('error', (error: NodeJS.ErrnoException) => { lost.broken ||= error.code === 'EPIPE' })
  // Only `write` is handed on: pino would flush what is fatal before anything else goes on.
  const log = pino({ level, base: { process: name } }, { write: (line: string) => (lost.broken ? drop() : void out.write(line)) })
  out.on('drain', () => {
    const { unreported } = lost
    lost.unreported = 0
    if (unreported > 0) log.warn({ dropped: unreported }, 'log lines were dropped')
  })
  return {
    log,
    dropped: () => lost.total,
    async exit(code) {
      givesUpAt = Date.now() + FLUSH_MS
      const written = await Promise.race([
        new Promise<boolean>((resolve) => out.flush(() => resolve(true))),
        delay(FLUSH_MS, lost.broken),
      ])
      // A thread that hangs in a write would be waited for by the end of the process.
      if (!written && blocks) process.kill(process.pid, 'SIGKILL')
      out.destroy()
      process.exit(code)
    },
  }
}

// A write that does not fit must return at once instead of waiting for a reader. A pipe or a terminal is opened anew for
// that, since others may share the standard output as it is; a socket cannot be. A file is written in a thread of its own.
function output(): { fd: number; blocks: boolean } {
  const kind = fstatSync(STDOUT)
  try {
    if (process.platform === 'linux' && (kind.isFIFO() || kind.isCharacterDevice())) {
      return { fd: openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK), blocks: false }
    }
    if (kind.isSocket()) {
      // Taking it over is what makes it non-blocking; nothing is read or written by this object.
      new Socket({ fd: STDOUT, readable: false, writable: false }).unref()
      return { fd: STDOUT, blocks: false }
    }
  } catch {
    // It may belong to another user.
  }
  return { fd: STDOUT, blocks: true }
}
