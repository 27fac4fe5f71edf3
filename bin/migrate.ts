// `npm run migrate`: applies new migrations to the database.
import { migrate } from '../models/migrate.ts'
import { databaseUrl } from './database-url.ts'

const applied = await migrate(databaseUrl())
console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
