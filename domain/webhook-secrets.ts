// The secrets that deliveries to an endpoint are signed with: the present one, and former ones for as long as they overlap.

/** A secret that was replaced; deliveries are signed with it too `until` then (ISO timestamp). It is kept encrypted. */
export interface FormerSecret {
  sealed: string
  until: string
}

/** The most secrets of an endpoint that are good at once, the present one included. */
export const MAX_SECRETS = 5

/** The overlap in seconds where a rotation names none, and the longest (decisions §5, §10). */
export const OVERLAP_SECONDS = { default: 86_400, maximum: 604_800 }

/** The former secrets that are still good. */
export const goodAt = (former: readonly FormerSecret[], now: Date): FormerSecret[] =>
  former.filter(({ until }) => Date.parse(until) > now.getTime())

/**
 * The former secrets after a rotation at `now`, the latest first. None of them is good for longer than the overlap: an
 * overlap of 0 ends them all.
 */
export function formerAfter(
  sealed: string,
  former: readonly FormerSecret[],
  now: Date,
  overlapSeconds: number,
): FormerSecret[] {
  const endMs = now.getTime() + overlapSeconds * 1_000
  const endOf = (ms: number) => new Date(Math.min(ms, endMs)).toISOString()
  const before = goodAt(former, now).map((secret) => ({
    sealed: secret.sealed,
    until: endOf(Date.parse(secret.until)),
  }))
  return goodAt([{ sealed, until: endOf(endMs) }, ...before], now)
}
