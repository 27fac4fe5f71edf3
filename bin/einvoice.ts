// `npm run einvoice -- --org ID --branch ID [--provider sandbox|irp] [--credentials FILE] [--enable|--disable]`: e-invoices of a branch.
import { readFileSync } from 'node:fs'
import { openBooks } from '../commands/books/open-books.ts'
import { chooseEInvoicing } from '../commands/e-invoices/choose-e-invoicing.ts'
import { Fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { checkedIrpCredentials } from '../gateways/einvoice/irp-credentials.ts'
import { openDatabase } from '../models/database.ts'
import { seal } from '../models/sealed.ts'
import { operator, operatorContext } from './operator.ts'
import { operatorSettings } from './operator-settings.ts'
import { onOneLine } from './one-line.ts'
import { optionsOf } from './options.ts'

class UnusableCredentials extends Error {}

const USAGE =
  'Usage: npm run einvoice -- --org ID --branch ID [--provider sandbox|irp] [--credentials FILE] [--enable|--disable]'

const values = optionsOf(
  {
    org: { type: 'string' },
    branch: { type: 'string' },
    provider: { type: 'string' },
    credentials: { type: 'string' },
    enable: { type: 'boolean', default: false },
    disable: { type: 'boolean', default: false },
  },
  USAGE,
)
const { org = '', branch = '', provider, credentials, enable, disable } = values
const isKnown = provider === undefined || provider === 'sandbox' || provider === 'irp'
if (!isId(org) || !isId(branch) || !isKnown || (enable && disable)) {
  console.error(USAGE)
  process.exit(2)
}

const { databaseUrl, encryptionKey } = operatorSettings()
const database = openDatabase({ url: databaseUrl, pool: 1, name: 'bahi einvoice' })
try {
  const sealed = credentials === undefined ? undefined : seal(encryptionKey, JSON.stringify(read(credentials)))
  const chosen = await openBooks(operatorContext(database), operator(), async (books) => {
    books.enter(org.toLowerCase())
    const { warnings } = books
    const choice = await chooseEInvoicing(books, branch.toLowerCase(), {
      ...(provider !== undefined && { provider }),
      ...((enable || disable) && { enabled: enable }),
      ...(sealed !== undefined && { sealed }),
    })
    return { ...choice, warnings }
  })
  const { enabled, provider: at, warnings } = chosen
  for (const { message } of warnings) console.error(`Warning: ${onOneLine(message)}`)
  console.log(`The branch ${enabled ? 'registers' : 'does not register'} e-invoices at the provider ${at}.`)
} catch (error) {
  if (!(error instanceof Fault || error instanceof UnusableCredentials)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await database.close()
}

function read(file: string): object {
  try {
    return checkedIrpCredentials(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    // What JSON.parse says would show a part of the file.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message
    throw new UnusableCredentials(`The credentials in ${file} cannot be used: ${reason}.`, { cause: error })
  }
}
