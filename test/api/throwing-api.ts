// A listener whose handler throws where nobody catches it, run as the API is: for unhandled.test.ts.
import { createAccessLog } from '../../api/http/access-log.ts'
import { createConnections } from '../../api/http/connections.ts'
import { createListener } from '../../api/http/listener.ts'
import { createLimiter } from '../../api/http/rate-limit.ts'
import { unmatchedRequests } from '../../api/http/unmatched.ts'
import { runProcess } from '../../api/process.ts'
import { openLog } from '../../gateways/log-output.ts'

const fail = () => {
  throw new Error('nobody catches this')
}
const WAYS: Record<string, () => void> = {
  '/tick': () => process.nextTick(fail),
  '/immediate': () => void setImmediate(fail),
  '/timer': () => void setTimeout(fail, 5),
  '/rejection': () => void Promise.resolve().then(fail),
  '/sync': fail,
}

const output = openLog('api', 'info')
const accessLog = createAccessLog(output.log, { roundTrips: () => 0, rowMemoryBytes: () => 0, connections: () => 0, droppedLines: output.dropped, limits: () => 'not configured' })
const unmatched = unmatchedRequests(createLimiter({ DEFAULT: 1, PARTNER: 1 }, null, output.log), accessLog, () => null)
const connections = createConnections({ maxConnections: 100, maxConnectionsPerAddress: 100, isTrusted: () => false })
const listener = createListener({
  connections, unmatched,
  onRefused: accessLog.refusedConnection,
  serve(request, response) {
    const way = WAYS[request.url ?? '']
    if (way) way()
    else response.end(String(process.pid))
  },
})
process.on('SIGUSR2', fail)
await runProcess({
  database: undefined as never, encryptionKey: '', seenAlive: async () => null, serveAfter: () => undefined,
  listen: () => listener.listen(Number(process.argv[2]), '127.0.0.1'),
  close: () => listener.close(5),
  answerUnhandled: ({ request, response }, error) => unmatched.answer(request, response, error as Error, { close: true }),
}, output)
