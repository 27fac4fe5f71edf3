// All activities, by the task queue of the workers that run them.
import { bulkActivities } from './bulk.ts'
import { conversionActivities, type ConversionDependencies } from './conversions.ts'
import { eInvoiceActivities, type EInvoiceDependencies } from './e-invoices.ts'
import { financialYearActivities } from './sweeps/financial-years.ts'
import { housekeepingActivities, type HousekeepingDependencies } from './sweeps/housekeeping.ts'
import { mailActivities, type MailDependencies } from './mail.ts'
import { renderActivities, type RenderDependencies } from './render.ts'
import { reminderActivities, type ReminderDependencies } from './sweeps/reminders.ts'
import { reconcileActivities, type ReconcileDependencies } from './reconcile.ts'
import { recurringActivities, type RecurringDependencies } from './recurring.ts'
import { webhookActivities, type WebhookDependencies } from './webhooks.ts'

export type ActivityDependencies = WebhookDependencies &
  ConversionDependencies &
  EInvoiceDependencies &
  MailDependencies &
  HousekeepingDependencies &
  RecurringDependencies &
  RenderDependencies &
  ReconcileDependencies &
  ReminderDependencies

export function createActivities(dependencies: ActivityDependencies) {
  const { abandonDelivery, attemptBatch, attemptDelivery } = webhookActivities(dependencies)
  const { convertNext } = conversionActivities(dependencies)
  const { attendEInvoice } = eInvoiceActivities(dependencies)
  const { sweepOverdue } = housekeepingActivities(dependencies)
  const { openFinancialYears } = financialYearActivities(dependencies)
  const { reconcileMissed } = reconcileActivities(dependencies)
  const { sweepReminders } = reminderActivities(dependencies)
  const { keepMailedPdf, recordMail, sendMail } = mailActivities(dependencies)
  const { runSchedule, runScheduleNow } = recurringActivities(dependencies)
  return {
    core: {
      abandonDelivery,
      convertNext,
      openFinancialYears,
      reconcileMissed,
      recordMail,
      runSchedule,
      runScheduleNow,
      sweepOverdue,
      sweepReminders,
    },
    webhooks: { attemptBatch, attemptDelivery },
    bulk: bulkActivities(dependencies),
    // Ticks of an earlier version are still in the queue `core`.
    recurring: { runSchedule },
    documents: { ...renderActivities(dependencies), attendEInvoice, keepMailedPdf, sendMail },
  }
}

export type Activities = ReturnType<typeof createActivities>
