// Runs a program of the bench in a process of its own, so that it takes no CPU time from the process that measures it.
import { fork } from 'node:child_process'
import { join } from 'node:path'

export interface Child {
  pid: number
  /** Sends a job and returns its result; throws what the child threw. */
  ask<Job, Result>(job: Job): Promise<Result>
  stop(): Promise<void>
}

type Reply = { result: unknown } | { error: string }

/** Starts `bench/children/<file>`; `stopping` ends it. */
export function startChild(file: string, stopping: AbortSignal): Child {
  const child = fork(join(import.meta.dirname, file), [], { serialization: 'advanced', signal: stopping })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
  return {
    pid: child.pid!,
    async ask<Job, Result>(job: Job) {
      const replied = new Promise<Reply>((resolve) => child.once('message', (reply) => resolve(reply as Reply)))
      child.send(job as object)
      const reply = await Promise.race([replied, ended.then((how) => ({ error: `${file} has ended: ${how}` }))])
      if ('error' in reply) throw new Error(reply.error)
      return reply.result as Result
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Runs one job in a child process that ends with it. */
export async function runChild<Job, Result>(file: string, job: Job, stopping: AbortSignal): Promise<Result> {
  const child = startChild(file, stopping)
  try {
    return await child.ask<Job, Result>(job)
  } finally {
    await child.stop()
  }
}

/** The child's side: does one job after the other, and exits when the parent has exited. */
export function serveParent<Job, Result>(work: (job: Job) => Promise<Result>): void {
  const send = (reply: Reply) => process.send?.(reply)
  process.on('message', (job) => {
    work(job as Job).then((result) => send({ result }), (error: Error) => send({ error: error.stack ?? error.message }))
  })
  process.once('disconnect', () => process.exit())
}
