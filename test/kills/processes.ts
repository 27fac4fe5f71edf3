// Kills a part of a run as the system would: at once, with all its children, without a word.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Identity } from '../../bin/services/process.ts'

/** Sends SIGKILL to the process and to every process below it. Answers how many were killed. */
export function killWhole({ pid }: Identity): number {
  // PostgreSQL's children are in groups of their own; they must be known before their parent is gone.
  const doomed = [pid, ...childrenOf(pid)]
  return doomed.filter(kill).length
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

export function childrenOf(pid: number): number[] {
  return parents().filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...childrenOf(child)])
}

function parents(): [pid: number, parent: number][] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
    return lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      // The command's name stands in parentheses and may hold blanks: count from behind it.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as [number, number]]
    } catch {
      return []
    }
  })
}
