// A server of Restify alone that answers every request with the same JSON: no service built on Restify can be faster.
import pino from 'pino'
import restify from 'restify'
import { serveParent } from './parent.ts'

serveParent(async ({ bytes }: { bytes: number }): Promise<number> => {
  const body = JSON.stringify({ constant: 'x'.repeat(Math.max(0, bytes - 15)) })
  const server = restify.createServer({ name: 'constant', log: pino({ level: 'silent' }) })
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }
  server.get({ path: '/constant/:id', name: 'constant' }, async (_request, response) => response.sendRaw(200, body, headers))
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
})
