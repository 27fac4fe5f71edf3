// The API as a process: its signals, its shutdown, and the handling of uncaught errors.
import { CannotListen } from '../gateways/health-port.ts'
import { FINAL, type LogOutput } from '../gateways/log-output.ts'
import { signOfRestore } from '../domain/restoration.ts'
import type { Database } from '../models/database.ts'
import { restoreMarks } from '../models/restoration.ts'
import { checkAtStart } from '../models/checks-at-start.ts'
import { currentRequest, type CurrentRequest } from './http/current-request.ts'

export interface Api {
  listen(): Promise<number>
  /** Ends within `SHUTDOWN_SECONDS` plus `CLOSE_SECONDS`, whatever callers, PostgreSQL, Redis and Temporal do. */
  close(): Promise<void>
  /** Answers 500 to a request whose code threw an error that was not caught. */
  answerUnhandled(underWay: CurrentRequest, error: unknown): void
  /** Until then it answers 503 to calls, and is not ready. */
  serveAfter(checked: Promise<unknown>): void
  database: Database
  encryptionKey: string
}

/**
 * Serves until SIGTERM or SIGINT, or until an uncaught error outside of any request; then shuts down and exits. It does not
 * serve on a schema that it does not know, nor with another key than that of the database; where the database answers only later,
 * it listens, and answers calls when that is known.
 */
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
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', (error) => {
    const request = currentRequest()
    if (request) return api.answerUnhandled(request, error)
    log.fatal({ err: error }, 'unhandled error; the process exits')
    void stop(1)
  })
  try {
    const check = checkAtStart(api.database, api.encryptionKey, (problem) => log.warn({ err: problem }, UNCHECKED))
    const isSoon = await check.isSoon
    if (isSoon) {
      const unfit = await check.unfit
      if (unfit !== null) {
        log.fatal(FINAL, unfit)
        return await exit(1)
      }
    } else {
      log.warn(LISTENS_ONLY)
      api.serveAfter(
        check.unfit.then((unfit) => {
          if (unfit === null) return log.info('the database answers: calls are served')
          log.fatal(FINAL, unfit)
          return stop(1)
        }),
      )
    }
    if (stopping) return
    log.info({ port: await api.listen() }, 'listening')
    void check.unfit.then(() => warnOfRestore(api.database, log))
  } catch (error) {
    if (error instanceof CannotListen) log.fatal({ isFinal: error.isFinal }, error.message)
    else log.fatal({ err: error }, 'the API could not start')
    await exit(1)
  }
}

const UNCHECKED = 'the schema and the key of the database cannot be checked yet; tried again every second'
const LISTENS_ONLY = 'the database does not answer: calls get 503 until its schema and its key were checked'

async function warnOfRestore(database: Database, log: LogOutput['log']): Promise<void> {
  const marks = await restoreMarks(database).catch(() => null)
  const sign = marks && signOfRestore(marks, null)
  if (sign !== null) log.warn(sign)
}
