// How much of the service one endpoint or one organisation may take for its webhooks.

/** The caps, of all batches and workers together where nothing else is said. */
export const CAPS = {
  /** Attempts under way at one endpoint. */
  attemptsOfEndpoint: 8,
  /** The same, where the last answers took longer than `slowMs`. */
  attemptsOfSlowEndpoint: 2,
  slowMs: 2_000,
  /** Attempts under way of one organisation. */
  attemptsOfOrganization: 64,
  /** Connections to receivers at once, of one worker. */
  connections: 512,
  /** Deliveries in a process of their own (`webhookDelivery`); the rest waits in PostgreSQL. */
  processesOfEndpoint: 20,
  processesOfOrganization: 200,
  /** Processes that are started in a second, of one worker. */
  processesInSecond: 2,
  /** Deliveries that are claimed at once. */
  batch: 100,
  /** Deliveries that are put back into the queue in a second, of an endpoint whose circuit has closed. */
  releasedInSecond: 100,
} as const
