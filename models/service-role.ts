// What the role of the API and the worker may do in the database: decided for each table, granted after the migrations.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import pg from 'pg'
import { MigrationFailed } from './locks-awaited.ts'
import { refuseMightyRole, refuseRightsBeyond } from './mighty-role.ts'

/** The role that the API and the worker connect as. */
export interface ServiceRole {
  name: string
  /** Set at each migration, and the role is made if it is missing. Null for a role that somebody else has made. */
  password: string | null
}

const READ = 'SELECT'
const ADD = 'SELECT, INSERT'
const CHANGE = 'SELECT, INSERT, UPDATE'
const REMOVE = 'SELECT, INSERT, UPDATE, DELETE'
// Rows are locked with FOR UPDATE or FOR SHARE, which PostgreSQL allows to those who may update any column.
const ADD_AND_LOCK = 'SELECT, INSERT, UPDATE (memo)'

/** Every table and view, with what the service may do. Lines of documents are removed from drafts. */
export const SERVICE_MAY: Record<string, string> = {
  account_balances: READ,
  accounting_periods: CHANGE,
  accounts: CHANGE,
  activity: ADD,
  attachment_usage: CHANGE,
  attachments: REMOVE,
  bill_lines: REMOVE,
  bills: REMOVE,
  branches: CHANGE,
  bulk_items: CHANGE,
  bulks: REMOVE,
  comments: REMOVE,
  contacts: REMOVE,
  conversions: REMOVE,
  cost_centers: CHANGE,
  credit_applications: CHANGE,
  credit_note_lines: REMOVE,
  credit_notes: CHANGE,
  currencies: CHANGE,
  debit_note_lines: REMOVE,
  debit_notes: CHANGE,
  e_invoice_credentials: CHANGE,
  e_invoices: CHANGE,
  email_recipients: CHANGE,
  emails: REMOVE,
  estimate_lines: REMOVE,
  estimates: REMOVE,
  event_counters: CHANGE,
  exchange_rates: CHANGE,
  expense_lines: REMOVE,
  expenses: REMOVE,
  idempotent_answers: REMOVE,
  installation: CHANGE,
  installation_keys: CHANGE,
  invitations: REMOVE,
  invoice_lines: REMOVE,
  invoices: REMOVE,
  items: REMOVE,
  journal_lines: ADD,
  journals: ADD_AND_LOCK,
  last_uses: REMOVE,
  logos: REMOVE,
  monthly_balances: CHANGE,
  number_counters: CHANGE,
  number_gaps: ADD,
  number_series: CHANGE,
  oauth_clients: CHANGE,
  oauth_consent_organizations: REMOVE,
  oauth_consents: REMOVE,
  oauth_grants: REMOVE,
  oauth_tokens: REMOVE,
  organization_preferences: CHANGE,
  organizations: CHANGE,
  partner_keys: CHANGE,
  partners: CHANGE,
  password_reset_requests: REMOVE,
  password_resets: REMOVE,
  payment_allocations: REMOVE,
  payments: REMOVE,
  people: CHANGE,
  process_heartbeats: CHANGE,
  purchase_order_lines: REMOVE,
  purchase_orders: REMOVE,
  recurring_runs: CHANGE,
  recurring_schedules: REMOVE,
  recurring_signals: REMOVE,
  reminder_sweeps: REMOVE,
  removed_conversions: CHANGE,
  removed_events: CHANGE,
  requests: REMOVE,
  sales_order_lines: REMOVE,
  sales_orders: CHANGE,
  sandbox_e_invoices: CHANGE,
  schema_migrations: READ,
  sessions: REMOVE,
  sign_ins: REMOVE,
  taxes: CHANGE,
  temporal_marks: CHANGE,
  tokens: CHANGE,
  users: CHANGE,
  webhook_attempts: REMOVE,
  webhook_circuits: REMOVE,
  webhook_deliveries: REMOVE,
  webhook_endpoints: REMOVE,
  webhook_events: REMOVE,
}

/**
 * Grants the role just what SERVICE_MAY lists, and takes away what it may do beyond that; nothing is taken away where `isNewer`,
 * because processes of a later version may need it. A table that is made later is not forgotten: the service may read and write
 * its rows, until the next call says it more closely. Throws MigrationFailed for a role that could help itself to more.
 */
export async function grantToService(
  client: pg.Client,
  { name, password }: ServiceRole,
  { isNewer }: { isNewer: boolean },
): Promise<void> {
  const role = pg.escapeIdentifier(name)
  if (password !== null) await makeRole(client, role, password)
  await refuseMightyRole(client, name)
  const {
    rows: [place],
  } = await client.query<{ database: string; schema: string; tables: string[] }>(PLACE)
  const [database, schema] = [pg.escapeIdentifier(place!.database), pg.escapeIdentifier(place!.schema)]
  const byDefault = `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT`
  const known = place!.tables.filter((table) => table in SERVICE_MAY)
  const revokes = isNewer ? [] : known.map((table) => `REVOKE ALL ON ${schema}.${table} FROM ${role};`)
  const grants = known.map((table) => `GRANT ${SERVICE_MAY[table]} ON ${schema}.${table} TO ${role};`)
  await client.query(`BEGIN;
    GRANT CONNECT ON DATABASE ${database} TO ${role};
    REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC, ${role};
    GRANT USAGE ON SCHEMA ${schema} TO ${role};
    ${[...revokes, ...grants].join('\n')}
    ${byDefault} ${REMOVE} ON TABLES TO ${role};
    ${byDefault} USAGE ON SEQUENCES TO ${role}`)
  // Of what is refused here, nothing stays granted: the connection is closed with its transaction open.
  if (!isNewer) await refuseRightsBeyond(client, name, new Map(known.map((table) => [table, SERVICE_MAY[table]!])))
  await client.query('COMMIT')
}

const PLACE = `SELECT current_database() AS database, current_schema() AS schema,
  ARRAY(SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')) AS tables`

const DUPLICATES = ['42710', '23505']

// Another database of the server may make the role at the same moment.
async function makeRole(client: pg.Client, role: string, password: string): Promise<void> {
  const login = `LOGIN PASSWORD ${pg.escapeLiteral(scramOf(password))}`
  await client.query(`CREATE ROLE ${role} ${login}`).catch((error: pg.DatabaseError) => {
    if (!DUPLICATES.includes(error.code ?? '')) throw error
    return client.query(`ALTER ROLE ${role} ${login}`)
  })
}

const ROUNDS = 4_096

// As PostgreSQL keeps it (SCRAM-SHA-256, RFC 5803), so that the password itself is in no log of statements.
function scramOf(password: string): string {
  if (!/^[\x21-\x7e]{8,}$/.test(password))
    throw new MigrationFailed('SERVICE_PASSWORD must be at least 8 printable ASCII characters without spaces')
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`
}
