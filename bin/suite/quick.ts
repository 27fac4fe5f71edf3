// The tests of `npm test -- --quick`: the domain, the house rules, the contract of every route, and one file for each resource.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The file that tests a resource, where it is not the one of its name in test/api, or that one waits for long. */
const TESTED_IN: Record<string, string> = {
  'bank-accounts': 'api/lookups',
  branches: 'api/lookups',
  'cost-centers': 'api/lookups',
  currencies: 'api/lookups',
  emails: 'api/mail-events',
  // The contract has each PDF rendered.
  pdfs: 'reports/printed',
  'recurring-payload': 'api/recurring',
  reports: 'api/customer-ledger',
  utility: 'api/identity',
  'webhook-resending': 'api/webhook-deliveries',
}

/** Of the cases that the contract has for each route, and of the routes that one code checks alike, one in so many: test/contract/cases.ts. */
export const QUICK_SETTINGS = { TEST_CASES_ONE_IN: '6', TEST_ROUTES_ONE_IN: '3' }

/** The paths of the tests below `root`, as arguments of Jest. */
export function quickTests(root: string): string[] {
  const resources = readdirSync(join(root, 'api', 'resources'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice(0, -'.ts'.length))
  const files = new Set(resources.map((name) => `test/${TESTED_IN[name] ?? `api/${name}`}.test.ts`))
  return ['test/domain/', 'test/house', 'test/contract/', ...files]
}
