// The request that the running code serves, so that an uncaught error is answered to the right caller.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface CurrentRequest {
  request: IncomingMessage
  response: ServerResponse
}

const storage = new AsyncLocalStorage<CurrentRequest>()

export const runWithRequest = <T>(request: CurrentRequest, work: () => T): T => storage.run(request, work)

/** The request that the running code serves; undefined outside of any. */
export const currentRequest = (): CurrentRequest | undefined => storage.getStore()
