// Tells whether a role could help itself to more than the service may: by what it is, and by what it can do.
import type pg from 'pg'
import type { Connection } from './connection.ts'
import { MigrationFailed } from './locks-awaited.ts'

const refused = (name: string, why: string) =>
  new MigrationFailed(`SERVICE_ROLE ${name}: ${why}. The service runs as a role that owns nothing`)

/** Throws MigrationFailed for a role that is missing, that owns something here, or that has rights of the whole server. */
export async function refuseMightyRole(client: pg.Client, name: string): Promise<void> {
  const {
    rows: [role],
  } = await client.query<{ attributes: boolean; owned: string | null; member: string | null }>(MIGHT, [name])
  if (!role) throw refused(name, 'there is no such role: make it, or set SERVICE_PASSWORD so that it is made')
  if (role.attributes) throw refused(name, 'it is a superuser, or may make roles or databases, or replicate')
  if (role.owned !== null) throw refused(name, `it owns ${role.owned}, or is a member of the role that does`)
  if (role.member !== null) throw refused(name, `it is a member of ${role.member}`)
}

// Members of the three write files, run programs and lock tables, whatever is granted.
const MIGHT = `SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS attributes,
    coalesce(
      (SELECT c.relname::text FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace
         AND c.relkind IN ('r', 'p', 'v') AND pg_has_role(r.oid, c.relowner, 'MEMBER') LIMIT 1),
      (SELECT 'the schema' FROM pg_namespace WHERE oid = current_schema()::regnamespace AND pg_has_role(r.oid, nspowner, 'MEMBER')),
      (SELECT 'the database' FROM pg_database WHERE datname = current_database() AND pg_has_role(r.oid, datdba, 'MEMBER'))
    ) AS owned,
    (SELECT m.rolname::text FROM pg_roles AS m WHERE pg_has_role(r.oid, m.oid, 'MEMBER')
       AND m.rolname IN ('pg_execute_server_program', 'pg_write_server_files', 'pg_maintain') LIMIT 1) AS member
  FROM pg_roles AS r WHERE rolname = $1`

/** Throws MigrationFailed where the role may change a table in another way than `granted` says, whoever has granted it that. */
export async function refuseRightsBeyond(
  client: pg.Client,
  name: string,
  granted: ReadonlyMap<string, string>,
): Promise<void> {
  const {
    rows: [beyond],
  } = await client.query<{ table: string; verb: string }>(BEYOND, [name, [...granted.keys()], [...granted.values()]])
  if (!beyond) return
  const why = `it may ${beyond.verb} ${beyond.table}, by a role that it is a member of, or because everybody (PUBLIC) may`
  throw refused(name, why)
}

const BEYOND = `SELECT t.name AS table, p.verb FROM unnest($2::text[], $3::text[]) AS t(name, may)
  CROSS JOIN unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) AS p(verb)
  WHERE t.may !~ (p.verb || '(,|$)') AND has_table_privilege($1, format('%I.%I', current_schema(), t.name), p.verb) LIMIT 1`

/** The role of the connection where it could change what is booked, or switch triggers off; otherwise null. */
export async function mightyRoleIn(connection: Connection): Promise<string | null> {
  const [role] = await connection.run<{ name: string; mighty: boolean }>(MIGHTY, [])
  return role!.mighty ? role!.name : null
}

const MIGHTY = {
  name: 'mighty role',
  text: `SELECT current_user::text AS name, pg_has_role(c.relowner, 'MEMBER') OR pg_has_role(n.nspowner, 'MEMBER')
      OR pg_has_role(d.datdba, 'MEMBER') OR has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER') AS mighty
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_database AS d ON d.datname = current_database()
    WHERE c.oid = 'journal_lines'::regclass`,
}
