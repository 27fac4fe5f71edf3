// The caps on the webhooks of one endpoint, one organisation and one worker.

/** Each cap counts all batches and workers together unless its comment says otherwise. */
export const CAPS = {
  /** Running attempts at one endpoint. */
  attemptsOfEndpoint: 8,
  /** The same, while the last responses took longer than `slowMs`. */
  attemptsOfSlowEndpoint: 2,
  slowMs: 2_000,
  /** Running attempts of one organisation. */
  attemptsOfOrganization: 64,
  /** Open connections to receivers, of one worker. */
  connections: 512,
  /** Deliveries with a workflow of their own (`webhookDelivery`); the others wait in PostgreSQL. */
  processesOfEndpoint: 20,
  processesOfOrganization: 200,
  /** Workflows that are started in a second, of one worker. */
  processesInSecond: 2,
  /** Deliveries of one claim. */
  batch: 100,
  /** Deliveries of an endpoint that are put back into the queue in a second after its circuit has closed. */
  releasedInSecond: 100,
} as const
