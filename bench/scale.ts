// The sizes and durations of the bench: in full, and short for a first look.

export interface Scale {
  organizations: number
  /** How often the service and its floor take turns. */
  rounds: number
  /** Whole seconds of each round, and of the warm-up before the first. */
  seconds: number
  warmSeconds: number
  clients: number[]
  /** Seconds of each round of the other writes, and of the warm-up before the first. */
  writeSeconds: number
  writeWarmSeconds: number
  /** How many calls of a write whose calls can each be made once, for each number of clients; and how many conversions. */
  once: number
  conversions: number
  /** Invoices of each round of bulk creation. */
  bulkRows: number
  /** Invoices of the large organisation. */
  invoices: number
  /** Seconds of each round of pages of the large organisation. */
  pageSeconds: number
  /** Rows of the customer ledgers. */
  ledgers: number[]
  /** How often each of the most expensive bodies is sent; the shortest time counts. */
  bodyTries: number
  /** Documents of each round of PDFs, for each number of clients. */
  pdfs: number
  /** Seconds for which a victim is measured, alone and with each neighbour. */
  neighbourSeconds: number
  webhooks: number
  /** Invoices whose growth is measured. */
  growth: number
  /** Recurring schedules that are due in the same minute. */
  schedules: number
  workflows: number
}

export const FULL: Scale = {
  organizations: 100, rounds: 5, seconds: 2, warmSeconds: 3, clients: [1, 8, 32], writeSeconds: 0.8, writeWarmSeconds: 1, once: 2_000, conversions: 300, bulkRows: 1_000,
  invoices: 200_000, pageSeconds: 0.6, ledgers: [10_000, 100_000], bodyTries: 3, pdfs: 30, neighbourSeconds: 15, webhooks: 2_000, growth: 2_000, schedules: 2_000,
  workflows: 500,
}

export const QUICK: Scale = {
  ...FULL, organizations: 20, rounds: 2, seconds: 1, warmSeconds: 1, writeSeconds: 0.5, writeWarmSeconds: 0.5, once: 100, conversions: 40, bulkRows: 400,
  invoices: 20_000, pageSeconds: 0.5, ledgers: [2_000, 20_000], bodyTries: 1, pdfs: 20, neighbourSeconds: 6, webhooks: 400, growth: 500, schedules: 400, workflows: 60,
}
