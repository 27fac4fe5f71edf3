// How long and how much: the full bench, and the short one for trying.

export interface Scale {
  organizations: number
  seconds: number
  warmSeconds: number
  clients: number[]
  /** Seconds for each of the other deeds, and before them. */
  deedSeconds: number
  deedWarmSeconds: number
  /** How many of a deed that each can be done once, by each number of clients; and conversions. */
  once: number
  conversions: number
  /** Invoices of the large organisation. */
  invoices: number
  /** Seconds for each of its pages. */
  pageSeconds: number
  /** Rows of the customer ledgers. */
  ledgers: number[]
  /** How often each of the dearest bodies is sent; the cheapest time counts. */
  bodyTries: number
  /** Seconds for which a victim is measured, alone and beside each neighbour. */
  neighbourSeconds: number
  webhooks: number
  workflows: number
}

export const FULL: Scale = {
  organizations: 100, seconds: 10, warmSeconds: 3, clients: [1, 8, 32], deedSeconds: 4, deedWarmSeconds: 1, once: 2_000, conversions: 300,
  invoices: 200_000, pageSeconds: 3, ledgers: [10_000, 100_000], bodyTries: 3, neighbourSeconds: 15, webhooks: 2_000, workflows: 500,
}

export const QUICK: Scale = {
  ...FULL, organizations: 20, seconds: 2, warmSeconds: 1, deedSeconds: 1, deedWarmSeconds: 0.5, once: 100, conversions: 40,
  invoices: 20_000, pageSeconds: 1, ledgers: [2_000, 20_000], bodyTries: 1, neighbourSeconds: 6, webhooks: 400, workflows: 60,
}
