// The Temporal task queues of the workflows and activities, one for each kind of work.

export const QUEUES = ['core', 'webhooks', 'bulk'] as const

/** `core`: workflows and short database work; `webhooks`: calls to receivers, which may hang; `bulk`: rows of bulks and ticks of schedules, for long. */
export type Queue = (typeof QUEUES)[number]

/** The queue's name in Temporal. A suffix separates two installations in one namespace. */
export function queueName(queue: Queue, suffix: string): string {
  return suffix === '' ? queue : `${queue}-${suffix}`
}

/** The name of another queue of the same installation. */
export function queueBeside(name: string, queue: Queue): string {
  const [, ...suffix] = name.split('-')
  return queueName(queue, suffix.join('-'))
}
