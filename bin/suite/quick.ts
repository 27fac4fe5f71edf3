// The tests of `npm test -- --quick`: the domain, the house rules, the contract of every route, and one file of test/api for each resource.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The resources without a file of their name in test/api, and the file that tests them. */
const TESTED_IN: Record<string, string> = {
  'bank-accounts': 'lookups',
  branches: 'lookups',
  'cost-centers': 'lookups',
  currencies: 'lookups',
  'recurring-payload': 'recurring',
  reports: 'customer-ledger',
  utility: 'identity',
}

/** The paths of the tests below `root`, as arguments of Jest. */
export function quickTests(root: string): string[] {
  const resources = readdirSync(join(root, 'api', 'resources'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice(0, -'.ts'.length))
  const files = new Set(resources.map((name) => `test/api/${TESTED_IN[name] ?? name}.test.ts`))
  return ['test/domain/', 'test/house', 'test/contract/', ...files]
}
