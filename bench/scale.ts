// How long and how much: the full bench, and the short one for trying.

export interface Scale {
  organizations: number
  seconds: number
  warmSeconds: number
  clients: number[]
  /** Invoices of the large organisation. */
  invoices: number
  /** Seconds for each of its pages. */
  pageSeconds: number
  webhooks: number
  workflows: number
}

export const FULL: Scale = {
  organizations: 100, seconds: 10, warmSeconds: 3, clients: [1, 8, 32], invoices: 200_000, pageSeconds: 3,
  webhooks: 2_000, workflows: 500,
}

export const QUICK: Scale = {
  ...FULL, organizations: 20, seconds: 2, warmSeconds: 1, invoices: 20_000, pageSeconds: 1, webhooks: 400, workflows: 60,
}
