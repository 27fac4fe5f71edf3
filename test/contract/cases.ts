// The cases that a contract test goes through with one route: all of them, in a quick run (`npm test -- --quick`) some.
const ONE_IN = Number(process.env.TEST_CASES_ONE_IN ?? 1)
/** Whether this run leaves cases to the whole one. */
export const LEAVES_OUT = ONE_IN > 1

// Of the routes that a test goes through, which are all checked by the same code, one in so many.
const ROUTES_ONE_IN = Number(process.env.TEST_ROUTES_ONE_IN ?? 1)

let turn = 0
let round = 0

/** All cases, or one in so many and at least one: with each route the next ones, so that every case meets some routes. */
export function someOf<T>(cases: readonly T[], oneIn = ONE_IN): readonly T[] {
  if (oneIn === 1 || cases.length === 0) return cases
  turn += 1
  return Array.from({ length: Math.ceil(cases.length / oneIn) }, (_, place) => cases[(turn + place * oneIn) % cases.length]!)
}

/** All rows, or one in so many and at least one: each time the next ones, so that what one test leaves out another takes. */
export function someRows<T>(rows: readonly T[], oneIn = ROUTES_ONE_IN): readonly T[] {
  if (oneIn === 1) return rows
  round += 1
  const some = rows.filter((_, place) => (place + round) % oneIn === 0)
  return some.length > 0 ? some : rows.slice(0, 1)
}
