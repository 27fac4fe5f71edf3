// The places of an answer that is streamed are given back, whenever its caller goes away.
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { createShares } from '../../api/http/concurrency-shares.ts'
import { begin, CALLER_GONE } from '../../api/http/stream.ts'

const requestOf = (socket: EventEmitter) => ({ socket: Object.assign(socket, { destroyed: false }) }) as unknown as IncomingMessage
const never = () => Promise.reject(new Error('nothing is read for a caller who is gone'))

test.each(['streams', 'calls'] as const)('a caller who goes at the very moment when a place of the %s comes free', async (name) => {
  const shares = createShares({ pool: 4, writers: 1 })
  const share = shares[name]
  const socket = new EventEmitter()
  const held = [await share.take('owner'), ...(name === 'calls' ? [await share.take('owner')] : [])]
  const begun = begin(requestOf(socket), shares, 'owner', never)
  // The stream has come as far as the place that it waits for.
  await new Promise((resolve) => setImmediate(resolve))
  // As when a stop closes all connections: both callers are gone before anything that waits goes on.
  held[0]!()
  socket.emit('close')
  expect(await begun).toMatchObject({ status: CALLER_GONE })
  for (const release of held) release()
  expect([shares.streams.taken(), shares.calls.taken()]).toEqual([0, 0])
})
