// A plain connection to PostgreSQL for the bench's own statements.
import { Client } from 'pg'

/** Does the work with a connection that is closed afterwards, also when the work fails. */
export async function connected<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(databaseUrl)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
