// Which request the code that runs now belongs to, so that an error that nobody caught is answered to its own caller.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface RequestUnderWay {
  request: IncomingMessage
  response: ServerResponse
}

const underWay = new AsyncLocalStorage<RequestUnderWay>()

export const asPartOf = <T>(request: RequestUnderWay, work: () => T): T => underWay.run(request, work)

/** The request that the running code serves; undefined outside of any. */
export const requestUnderWay = (): RequestUnderWay | undefined => underWay.getStore()
