// Which tokens or partner keys a command of an operator means: by their ids, or by what they have in common.
import type { IssuedFilter } from '../../models/issued-access.ts'
import { timeOf } from '../options.ts'

export const SELECTION = {
  'created-since': { type: 'string' },
  'created-before': { type: 'string' },
  valid: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const

export interface Selected {
  'created-since'?: string
  'created-before'?: string
  valid: boolean
  all: boolean
  yes: boolean
}

/** The conditions of the options on tokens or keys. Of those that are to be revoked, the valid ones alone. */
export function filterOf(values: Selected, verb: string): IssuedFilter {
  const valid = verb === 'revoke' || values.valid ? new Date() : null
  return { valid, since: timeOf(values['created-since']), before: timeOf(values['created-before']) }
}

export const areTimes = ({ since, before }: IssuedFilter): boolean =>
  [since, before].every((time) => time === null || !Number.isNaN(time.getTime()))

/** Whether it is clear what is to be revoked: ids and nothing else, or at least one condition, which `--all` is too. */
export function isClear(values: Selected, { ids, whose }: { ids: string[]; whose: string | undefined }): boolean {
  const times = [values['created-since'], values['created-before']]
  const hasCondition = values.all || [whose, ...times].some((one) => one !== undefined)
  const isAlone = !values.yes && !hasCondition && !values.valid
  return ids.length > 0 ? isAlone : hasCondition
}

/** What stands at the end of a list of what would be revoked. */
export const untouched = (what: string): string => `${what}. Nothing was revoked; --yes revokes them.`
