// Reads what the API and the worker log for a person: without JSON, and without stacks.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** A part of the run that ended for a reason that no repeat changes; the message says which part and why. */
export class PartRefused extends Error {
  readonly why: string
  constructor(part: string, why: string) {
    super(`${part} does not start: ${why}`)
    this.why = why
  }
}

// The line is the last one or among the last.
const TAIL_BYTES = 64 * 1024
const FATAL = 60
const INVALID_SETTINGS = 'Invalid settings:'

interface LogLine {
  level: number
  msg: string
  err?: string | { message?: string }
  reason?: string
  isFinal?: boolean
}

/**
 * Why the process whose log begins at byte `from` has ended, where it says that a repeat would end alike (`isFinal`), or which of
 * its settings are invalid; null where it says nothing of the kind.
 */
export function refusalIn(log: string, from: number): string | null {
  const lines = linesFrom(log, from)
  const invalid = lines.indexOf(INVALID_SETTINGS)
  if (invalid >= 0) return lines.slice(invalid).join('\n')
  const final = lines.map(logLine).findLast((line) => line?.level === FATAL && line.isFinal === true)
  return final?.msg ?? null
}

/** A line of a log as a person reads it: of JSON its message and its error; null for a line of a stack. */
export function plainLine(line: string): string | null {
  if (/^\s+at /.test(line)) return null
  const known = logLine(line)
  if (!known) return line
  const { msg, err, reason } = known
  const why = (typeof err === 'object' ? err.message : err) ?? reason
  return why ? `${msg}: ${why}` : msg
}

function logLine(line: string): LogLine | null {
  try {
    const read = line.startsWith('{') ? (JSON.parse(line) as Partial<LogLine>) : {}
    return typeof read.msg === 'string' ? (read as LogLine) : null
  } catch {
    return null
  }
}

function linesFrom(log: string, from: number): string[] {
  const file = openSync(log, 'r')
  try {
    const { size } = fstatSync(file)
    const begin = Math.max(from, size - TAIL_BYTES)
    const bytes = Buffer.alloc(Math.max(0, size - begin))
    return bytes
      .subarray(0, readSync(file, bytes, 0, bytes.length, begin))
      .toString('utf8')
      .trimEnd()
      .split('\n')
  } finally {
    closeSync(file)
  }
}
