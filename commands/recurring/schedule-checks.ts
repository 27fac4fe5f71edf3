// What a schedule must fulfil when it is created or changed, beyond the shape of its body.
import { DOCUMENTS } from '../../domain/documents.ts'
import { Fault, fault, notFound } from '../../domain/faults.ts'
import { countsMonths, occurrenceDate } from '../../domain/recurrence.ts'
import type { ScheduledKind } from '../../domain/schedule.ts'
import { ruleOf } from '../../domain/schedule-state.ts'
import { refuseUnknownVariables } from '../../domain/template-variables.ts'
import { daysUntilDue } from '../../domain/template-dates.ts'
import type { ScheduleRow } from '../../models/recurring.ts'
import type { Books } from '../books/books.ts'
import { copyOf, type TemplateBody } from './templates.ts'

/** The columns of a template. Throws validation.required_field for neither and for both (specification, "Recurring schedules"). */
export function templateColumns(template: {
  template_entity_id?: string | null
  template_payload?: TemplateBody | null
}): { template_entity_id: string | null; template_payload: TemplateBody | null } {
  const { template_entity_id: id = null, template_payload: payload = null } = template
  if ((id === null) !== (payload === null))
    return { template_entity_id: id?.toLowerCase() ?? null, template_payload: payload }
  throw fault('validation.required_field', {
    field: 'template_entity_id',
    message: 'Send exactly one of template_entity_id and template_payload.',
  })
}

type Checked = Omit<ScheduleRow, 'org_id' | 'id' | 'version' | 'created_time' | 'last_modified_time'>

/**
 * Throws validation.invalid_value for an end before the first date, and for LAST_DAY or auto_charge where they do not apply.
 */
export function checkSchedule(schedule: Checked): void {
  const { entity_type: kind, start_date } = schedule
  if (schedule.auto_charge && kind !== 'INVOICE') throw invalid('auto_charge', 'auto_charge is for invoices alone.')
  if (schedule.month_anchor === 'LAST_DAY' && !countsMonths(schedule.frequency))
    throw invalid('month_anchor', 'month_anchor LAST_DAY is for MONTHLY, QUARTERLY and YEARLY schedules.')
  const first = occurrenceDate({ ...ruleOf(schedule), anchorDate: start_date, anchorOccurrence: 1 }, 1)!
  if (schedule.end_date !== null && schedule.end_date < first)
    throw invalid('end_date', `end_date must not be before the first occurrence, ${first}.`)
}

/**
 * Throws not_found.resource for a template that is not the organisation's, and validation.invalid_value for one with an
 * unknown variable, or with a due date before its date.
 */
export async function checkTemplate(
  books: Books,
  { entity_type: kind, template_entity_id: id, template_payload: payload, start_date }: Checked,
): Promise<void> {
  if (id !== null) return refuseUnknownVariables(await existingCopy(books, kind, id, start_date), 'template_entity_id')
  refuseUnknownVariables(payload, 'template_payload')
  daysUntilDue(payload!, start_date)
}

/** As copyOf, for an id in a body: not_found.resource names its field. */
async function existingCopy(books: Books, kind: ScheduledKind, id: string, date: string): Promise<TemplateBody> {
  try {
    return await copyOf(books, kind, id, date)
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found.resource')
      throw notFound(DOCUMENTS[kind].noun, 'template_entity_id')
    throw error
  }
}

const invalid = (field: string, message: string) => fault('validation.invalid_value', { field, message })
