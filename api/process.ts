// The API as a process: its signals, its shutdown, and the handling of uncaught errors.
import { setTimeout as delay } from 'node:timers/promises'
import { CannotListen } from '../gateways/health-port.ts'
import { FINAL, type LogOutput } from '../gateways/log-output.ts'
import { needsNoteOutside, signOfRestore } from '../domain/restoration.ts'
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
  /** When the service last ran on the books of this installation, as it is noted in the blob store. */
  seenAlive(installation: string): Promise<Date | null>
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
    void check.unfit.then(() => warnOfRestore(api, log))
  } catch (error) {
    if (error instanceof CannotListen) log.fatal({ isFinal: error.isFinal }, error.message)
    else log.fatal({ err: error }, 'the API could not start')
    await exit(1)
  }
}

const UNCHECKED = 'the schema and the key of the database cannot be checked yet; tried again every second'
const LISTENS_ONLY = 'the database does not answer: calls get 503 until its schema and its key were checked'

/** Says where the books look restored, by the database or by the note in the blob store, which is asked again while it does not answer. */
async function warnOfRestore({ database, seenAlive }: Api, log: LogOutput['log']): Promise<void> {
  for (let tries = 1; tries <= NOTE_TRIES; tries += 1) {
    const marks = await restoreMarks(database).catch(() => null)
    if (marks === null) return
    const noted = await seenAlive(marks.id).catch((error: unknown) => error as Error)
    const isAway = noted instanceof Error
    const sign = signOfRestore(marks, isAway ? null : noted)
    if (sign !== null) log.warn(sign)
    if (sign !== null || !isAway || !needsNoteOutside(marks, new Date())) return
    if (tries === 1) log.warn(NOTE_AWAY)
    await delay(NOTE_AGAIN_MS, undefined, { ref: false })
  }
}

const NOTE_TRIES = 24
const NOTE_AGAIN_MS = 5_000
const NOTE_AWAY =
  'the blob store does not answer, which notes when the service last ran on these books; whether they were restored is not known yet'
