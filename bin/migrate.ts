// `npm run migrate`: brings the database of DATABASE_URL up to date.
import { migrate } from '../models/migrate.ts'

const url = process.env.DATABASE_URL
if (!url) {
  console.error('DATABASE_URL is not set. Example: DATABASE_URL=postgres://user:password@host:5432/bahi npm run migrate')
  process.exit(2)
}
const applied = await migrate(url)
console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
