// The floor within PostgreSQL: pgbench calls bench.book, so that one call books one invoice.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onPath } from '../bin/services/process.ts'
import { type Figures, figuresOf, type Throttle } from './figures.ts'
import type { Stage } from './stage.ts'

const run = promisify(execFile)
// The folder in which Debian has the programs of each version.
const DEBIAN = '/usr/lib/postgresql'

export interface PgbenchOptions {
  program: string
  specimens: number
  pace: Throttle
}

/** The path of pgbench, or null where it is not installed. */
export function findPgbench(path: string[]): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one)) : []
  return onPath('pgbench', [...path, ...versions.map((version) => join(DEBIAN, version, 'bin'))])
}

export async function runPgbench(stage: Stage, { program, specimens, pace }: PgbenchOptions): Promise<Figures> {
  const script = join(stage.folder, 'book.sql')
  writeFileSync(script, `\\set specimen random(1, ${specimens})\nSELECT bench.book(:specimen);\n`)
  if (pace.warmSeconds > 0) await call(stage, program, script, pace.clients, pace.warmSeconds, [])
  const prefix = join(stage.folder, 'pgbench')
  await call(stage, program, script, pace.clients, pace.seconds, ['--log', `--log-prefix=${prefix}`])
  return figuresOf(loggedLatencies(stage.folder), pace.seconds)
}

async function call(
  { databaseUrl, stopping }: Stage, program: string, script: string, clients: number, seconds: number, more: string[],
): Promise<void> {
  const args = [
    '--no-vacuum', '--protocol=prepared', `--client=${clients}`, `--jobs=${Math.min(2, clients)}`,
    `--time=${Math.ceil(seconds)}`, `--file=${script}`, ...more, databaseUrl,
  ]
  await run(program, args, { signal: stopping, timeout: (seconds + 60) * 1000 })
}

// A log line: client, transaction, latency in microseconds, script, time.
function loggedLatencies(folder: string): number[] {
  const logs = readdirSync(folder).filter((name) => name.startsWith('pgbench.')).map((name) => join(folder, name))
  const latencies = logs.flatMap((log) =>
    readFileSync(log, 'utf8').split('\n').filter(Boolean).map((line) => Number(line.split(' ')[2]) / 1000))
  for (const log of logs) rmSync(log)
  return latencies
}
