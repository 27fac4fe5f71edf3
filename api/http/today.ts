// Today's date in the organisation's time zone, for reads.
import { dateInZone } from '../../domain/dates.ts'
import type { RequestContext } from './route.ts'

export const todayAt = ({ now, caller }: RequestContext): string =>
  dateInZone(now.toISOString(), caller.organization!.time_zone)
