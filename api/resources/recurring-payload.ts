// Checks the payload of a schedule's template against the shape of the call that it will be created by.
import type { TObject, TSchema } from 'typebox'
import type { ScheduleContext } from '../../commands/recurring/schedules.ts'
import { expenseProblems } from '../../domain/expense-body.ts'
import type { FieldProblem } from '../../domain/faults.ts'
import type { ScheduledKind } from '../../domain/schedule.ts'
import { validationFailed } from '../http/problems.ts'
import { problemsIn } from '../http/validate.ts'
import { NewBill } from '../shapes/bill.ts'
import { NewExpense } from '../shapes/expense.ts'
import { NewInvoice } from '../shapes/invoice.ts'
import { NewJournal, sideProblems } from '../shapes/journal.ts'
import { lineProblems } from '../shapes/line-item.ts'

const BODIES: Record<ScheduledKind, { shape: TObject; alsoCheck: (body: unknown) => FieldProblem[] }> = {
  INVOICE: { shape: NewInvoice, alsoCheck: lineProblems },
  BILL: { shape: NewBill, alsoCheck: lineProblems },
  EXPENSE: { shape: NewExpense, alsoCheck: expenseProblems },
  JOURNAL: { shape: NewJournal, alsoCheck: sideProblems },
}

/**
 * The payload with the fields that its shape knows: others are ignored, as everywhere. Its date may be left out, because
 * each document gets that of its occurrence. Throws validation.failed with the fields below template_payload.
 */
export const payloadOf: ScheduleContext['payloadOf'] = (kind, payload, startDate) => {
  const { shape, alsoCheck } = BODIES[kind]
  const problems = problemsIn(shape, { date: startDate, ...payload }, alsoCheck)
  if (problems.length === 0) return knownFields(shape, payload) as ReturnType<ScheduleContext['payloadOf']>
  throw validationFailed(problems.map((problem) => ({ ...problem, field: `template_payload.${problem.field}` })))
}

function knownFields(shape: TSchema, value: unknown): unknown {
  const { properties, items } = shape as { properties?: Record<string, TSchema>; items?: TSchema }
  if (Array.isArray(value)) return items ? value.map((each) => knownFields(items, each)) : value
  if (!properties || typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(fields.map(([name, each]) => [name, knownFields(properties[name]!, each)]))
}
