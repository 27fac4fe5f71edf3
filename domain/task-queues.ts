// The Temporal task queues of the workflows and activities, one for each kind of work.

export const QUEUES = ['core', 'webhooks', 'bulk', 'recurring', 'documents'] as const

/**
 * `core`: workflows and short database work; `webhooks`: calls to receivers, which may hang; `bulk`: rows of bulks, for long;
 * `recurring`: the ticks of schedules, many of which are due at the same time; `documents`: PDFs, mail and e-invoices, which wait
 * for an engine of their own or for another service.
 */
export type Queue = (typeof QUEUES)[number]

/** The queue's name in Temporal. A suffix separates two installations in one namespace. */
export function queueName(queue: Queue, suffix: string): string {
  return suffix === '' ? queue : `${queue}-${suffix}`
}

/**
 * The priority of a process of an organisation: while tasks wait, Temporal gives those of each organisation the same share, so
 * that the many processes of one do not hold up the others'. A server whose fairness is off serves them in their order.
 */
export const fairShareOf = (orgId: string): { fairnessKey: string } => ({ fairnessKey: orgId })

/** The name of another queue of the same installation. */
export function queueBeside(name: string, queue: Queue): string {
  const [, ...suffix] = name.split('-')
  return queueName(queue, suffix.join('-'))
}
