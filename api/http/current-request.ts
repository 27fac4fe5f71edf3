// Which request the code that runs now belongs to, so that an error that nobody caught is answered to its own caller.
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
