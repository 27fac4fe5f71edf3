// Reads and writes the mark of a namespace: a paused Temporal Schedule, which every client reads whatever its keys are.
import { randomUUID } from 'node:crypto'
import { isGrpcServiceError, type Connection } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time.js'
import {
  markId,
  markIn,
  markText,
  unfitNamespace,
  type BooksIdentity,
  type MarkedPlace,
  type NamespaceMark,
} from '../../domain/namespace-mark.ts'
import { queueName } from '../../domain/task-queues.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'

/** Each throws EngineUnavailable, and EngineRefused where Temporal refuses, or has no such namespace. */
export interface NamespaceMarks {
  /** The id that Temporal gave the namespace when it was made; another one where it has lost its data. */
  namespaceId(): Promise<string>
  /** Null where there is none. */
  readMark(): Promise<NamespaceMark | null>
  /** The mark of those who use the namespace without a suffix; null where there is none, and for one who has no suffix. */
  readMarkBeside(): Promise<NamespaceMark | null>
  /** Sets the mark where there is none. Returns the one that there is then: of several processes that set one, one does. */
  setMark(mark: NamespaceMark): Promise<NamespaceMark>
  /** Sets the mark in the place of another one. */
  replaceMark(mark: NamespaceMark): Promise<void>
}

/**
 * Why these books must not use the workflows of the namespace, in one line; null where they may, and where it has no mark. A copy
 * of the books must not with a suffix either, because its workflows have the ids of those of the original.
 */
export async function unfitPlace(
  marks: Pick<NamespaceMarks, 'readMark' | 'readMarkBeside'>,
  own: BooksIdentity,
  place: MarkedPlace,
): Promise<string | null> {
  const mark = await marks.readMark()
  const why = mark && unfitNamespace(own, mark, place)
  if (why) return why
  const beside = await marks.readMarkBeside()
  return beside?.installation === own.installation ? unfitNamespace(own, beside, { ...place, queueSuffix: '' }) : null
}

/** Temporal has answered, and a repeat would be answered alike. The message is for an operator. */
export class EngineRefused extends Error {}

interface Place {
  connection: Connection
  address: string
  namespace: string
  queueSuffix: string
}

const MARK_MS = 5_000
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000
const NOT_FOUND = 5
const ALREADY_EXISTS = 6
// gRPC: INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION, UNIMPLEMENTED, UNAUTHENTICATED.
const REFUSALS = new Set([3, NOT_FOUND, 7, 9, 12, 16])

export function createNamespaceMarks(place: Place): NamespaceMarks {
  const { connection, namespace, queueSuffix } = place
  // Without the client's data converter: nothing of the mark is encrypted, and a process without the key must be able to read it.
  const service = connection.workflowService
  const of = { namespace, scheduleId: markId(queueSuffix) }

  async function withinDeadline<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await connection.withDeadline(Date.now() + MARK_MS, call)
    } catch (error) {
      throw explained(error, place)
    }
  }

  async function describe(suffix = queueSuffix): Promise<NamespaceMark | null> {
    const { schedule } = await service
      .describeSchedule({ namespace, scheduleId: markId(suffix) })
      .catch((error: unknown) => {
        if (codeOf(error) === NOT_FOUND && !isAboutNamespace(error)) return { schedule: null }
        throw error
      })
    if (!schedule) return null
    const text = schedule.action?.startWorkflow?.workflowId ?? ''
    return markIn(text) ?? { installation: `unknown: ${text}`, database: 'unknown', generation: 'unknown' }
  }

  async function create(mark: NamespaceMark): Promise<void> {
    await service.createSchedule({ ...of, requestId: randomUUID(), schedule: scheduleOf(mark, queueSuffix) })
  }

  return {
    namespaceId: () =>
      withinDeadline(async () => (await service.describeNamespace({ namespace })).namespaceInfo?.id ?? ''),
    readMark: () => withinDeadline(describe),
    readMarkBeside: async () => (queueSuffix === '' ? null : withinDeadline(() => describe(''))),
    setMark: (mark) =>
      withinDeadline(async () => {
        await create(mark).catch((error: unknown) => {
          if (codeOf(error) !== ALREADY_EXISTS) throw error
        })
        const there = await describe()
        // Removed again meanwhile: whose the namespace is has to be found out anew.
        if (!there) throw new EngineUnavailable(new Error(`the mark ${of.scheduleId} is gone`))
        return there
      }),
    replaceMark: (mark) =>
      withinDeadline(async () => {
        if (await describe())
          await service.updateSchedule({ ...of, requestId: randomUUID(), schedule: scheduleOf(mark, queueSuffix) })
        else await create(mark)
      }),
  }
}

// Temporal removes a schedule that has no run before it, unless it is paused: so it has both a run a year ahead and the pause. The
// workflow that it would start does no harm.
const scheduleOf = (mark: NamespaceMark, queueSuffix: string) => ({
  spec: { interval: [{ interval: msToTs(YEAR_MS) }] },
  action: {
    startWorkflow: {
      workflowId: markText(mark),
      workflowType: { name: 'reconcileSchedules' },
      taskQueue: { name: queueName('core', queueSuffix) },
    },
  },
  state: {
    paused: true,
    notes: `The workflows of this namespace are of installation ${mark.installation}. It stays paused.`,
  },
})

function explained(error: unknown, { address, namespace }: Place): unknown {
  const code = codeOf(error)
  if (code === NOT_FOUND && isAboutNamespace(error))
    return new EngineRefused(
      `Temporal at ${address} has no namespace ${namespace}: create it (temporal operator namespace create), or change TEMPORAL_NAMESPACE`,
      { cause: error },
    )
  if (code === null || !REFUSALS.has(code))
    return code !== null || isEngineUnavailable(error) ? new EngineUnavailable(error) : error
  const { details, message } = error as { details?: string; message: string }
  return new EngineRefused(`Temporal at ${address} refuses the namespace ${namespace}: ${details || message}`, {
    cause: error,
  })
}

const codeOf = (error: unknown): number | null => (isGrpcServiceError(error) ? error.code : null)
const isAboutNamespace = (error: unknown) => /namespace/i.test((error as { details?: string }).details ?? '')
