// Persons: who signs in. A person belongs to organisations as a user of each.
import { col, fn, where } from 'sequelize'
import type { Connection } from './connection.ts'
import { finderAbove, is } from './find.ts'
import { TEXT, TIME, UUID, model, orNull, type RowOf } from './model.ts'

export const people = model(
  'people',
  {
    id: UUID,
    email: TEXT,
    /** argon2id in PHC's form. */
    password: orNull(TEXT),
    password_set_time: orNull(TIME),
    created_time: TIME,
  },
  { key: ['id'] },
)
export type PersonRow = RowOf<typeof people>

/** The person with this address, in upper or lower case; null where there is none. */
export async function findPersonByEmail(connection: Connection, email: string): Promise<PersonRow | null> {
  return byEmail.first(connection, email)
}

/** The person with this id, locked for the change that follows. */
export async function lockPerson(connection: Connection, id: string): Promise<PersonRow | null> {
  return lockById.first(connection, id)
}

/** The person with this id. */
export const findPerson = (connection: Connection, id: string): Promise<PersonRow | null> => byId.first(connection, id)

const byId = finderAbove<PersonRow, [string]>(people, (id) => ({ where: { id: is(id) } }))
const byEmail = finderAbove<PersonRow, [string]>(people, (email) => ({
  where: where(fn('lower', col('email')), fn('lower', email)),
}))
const lockById = finderAbove<PersonRow, [string]>(people, (id) => ({ where: { id: is(id) }, lock: true }))
