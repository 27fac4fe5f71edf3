// The mailbox as a process: `node bin/mailbox/main.ts --port PORT --folder FOLDER [--events URL]`.
import { parseArgs } from 'node:util'
import { openMailbox } from './server.ts'

const { values } = parseArgs({
  options: { port: { type: 'string' }, folder: { type: 'string' }, events: { type: 'string' } },
})
if (!values.port || !values.folder) throw new Error('the mailbox needs --port and --folder')
const { port, folder, events } = values
const { url } = await openMailbox({ port: Number(port), folder, ...(events ? { eventsUrl: () => events } : {}) })
console.log(`The mailbox answers at ${url}.`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
