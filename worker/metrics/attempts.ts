// The metrics of attempts at webhook deliveries: their outcomes, and the slowest receivers.
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { Outcome } from '../../domain/delivery.ts'
import { createReceiverTimes } from './receiver-times.ts'

/** Adds them; the function that is returned counts an attempt. */
export function addAttempts(registry: Registry, clock: () => Date): (endpointId: string, outcome: Outcome) => void {
  const attempts = new Histogram({
    name: 'bahi_webhook_attempt_seconds',
    help: 'Attempts at webhook deliveries by outcome, with the time that the receiver took.',
    labelNames: ['outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  const times = createReceiverTimes(clock)
  new Gauge({
    name: 'bahi_webhook_receiver_seconds',
    help: 'What the receiver of an endpoint takes in the mean of its last attempts, of the slowest endpoints.',
    labelNames: ['endpoint'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { endpointId, seconds } of times.slowest()) this.labels(endpointId).set(seconds)
    },
  })
  return (endpointId, { kind, durationMs }) => {
    attempts.observe({ outcome: kind }, durationMs / 1000)
    // Nobody was called.
    if (kind !== 'blocked') times.note(endpointId, durationMs / 1000)
  }
}
