// Today, as a reader is answered: the date in the organisation's zone.
import { dateInZone } from '../../domain/dates.ts'
import type { Desk } from './route.ts'

export const todayAt = ({ now, caller }: Desk): string => dateInZone(now.toISOString(), caller.organization!.time_zone)
