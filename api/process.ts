// The API as a process: its signals, its end, and what becomes of an error that nobody caught.
import type { LogOutput } from '../gateways/log-output.ts'
import type { Database } from '../models/database.ts'
import { currentRequest, type CurrentRequest } from './http/current-request.ts'

export interface Api {
  listen(): Promise<number>
  /** Ends within the seconds of `SHUTDOWN_SECONDS` and a few more, whatever callers and machines do. */
  close(): Promise<void>
  /** Answers 500 to a request of which something failed where nobody caught it. */
  answerUnhandled(underWay: CurrentRequest, error: unknown): void
  database: Database
}

/** Serves until SIGTERM or SIGINT, or until an error that belongs to no request; then stops in order and ends the process. */
export async function runProcess(api: Api, { log, exit }: LogOutput): Promise<void> {
  let stopping = false
  const stop = async (code: number) => {
    if (stopping) return
    stopping = true
    await api.close().catch((error: unknown) => log.error({ err: error }, 'shutdown failed'))
    await exit(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.info({ signal }, 'stopping')
      void stop(0)
    })
  }
  // Rejections that nobody handles come here too.
  process.on('uncaughtException', (error) => {
    const request = currentRequest()
    if (request) return api.answerUnhandled(request, error)
    log.fatal({ err: error }, 'unhandled error; the process exits')
    void stop(1)
  })
  try {
    log.info({ port: await api.listen() }, 'listening')
  } catch (error) {
    log.fatal({ err: error }, 'the API could not start')
    await exit(1)
  }
}
