// Prints the new lines of a log on the terminal, formatted and in colour instead of JSON.
import { closeSync, openSync, readSync } from 'node:fs'
import { prettyFactory } from 'pino-pretty'
import { sizeOf } from './process.ts'

const EVERY_MS = 100
// Fields that every line has, and fields that the message already shows.
const IGNORED = [
  'pid',
  'hostname',
  'process',
  'method',
  'route',
  'status',
  'duration_ms',
  'ip',
  'subject',
  'org_id',
  'request_id',
]

/** Prints lines that are written to a log file from now on, each after the name of its process. */
export function showLog(name: string, file: string): void {
  let from = sizeOf(file)
  let rest = ''
  const readable = readableLines()
  setInterval(() => {
    const size = sizeOf(file)
    if (size < from) from = 0
    if (size === from) return
    const lines = (rest + readFrom(file, from, size)).split('\n')
    from = size
    rest = lines.pop() ?? ''
    for (const line of lines) console.log(`${name.padEnd(18)}  ${readable(line)}`)
  }, EVERY_MS)
}

/** Returns a function that formats a line of the log; a line that is not JSON stays as it is. */
export function readableLines(colorize = process.stdout.isTTY === true): (line: string) => string {
  const pretty = prettyFactory({
    colorize,
    ignore: IGNORED.join(),
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: (line, key) => requestOf(line) ?? String(line[key] ?? ''),
  })
  return (line) => pretty(line).trimEnd()
}

function requestOf(line: Record<string, unknown>): string | null {
  const { method, route, status, duration_ms: ms } = line
  return method === undefined ? null : `${method} ${route} ${status} in ${ms} ms`
}

function readFrom(file: string, from: number, to: number): string {
  const bytes = Buffer.alloc(to - from)
  const descriptor = openSync(file, 'r')
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from)).toString('utf8')
  } finally {
    closeSync(descriptor)
  }
}
