// Today, as a reader is answered: the date in the organisation's zone.
import { dateInZone } from '../../domain/dates.ts'
import type { RequestContext } from './route.ts'

export const todayAt = ({ now, caller }: RequestContext): string => dateInZone(now.toISOString(), caller.organization!.time_zone)
