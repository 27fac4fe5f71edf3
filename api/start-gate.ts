// Refuses calls while the process waits for its database, which it must not serve before it knows that it fits.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fault } from '../domain/faults.ts'
import type { Unmatched } from './http/unmatched.ts'

export interface StartGate {
  isShut(): boolean
  /** Shuts it until then. */
  openAfter(checked: Promise<unknown>): void
  /** Whether a request may pass; one that may not is answered. */
  passes(request: IncomingMessage, response: ServerResponse): boolean
}

const WAITS = { message: 'The service waits for its database; try again.', retryAfter: 2 }
const isCall = ({ url = '' }: IncomingMessage) => !/^\/(?:health|metrics|docs)\b/.test(url)

export function createStartGate(unmatched: Unmatched): StartGate {
  let isShut = false
  return {
    isShut: () => isShut,
    openAfter(checked) {
      isShut = true
      void checked.then(() => {
        isShut = false
      })
    },
    passes(request, response) {
      if (!isShut || !isCall(request)) return true
      unmatched.answer(request, response, fault('service.unavailable', WAITS), { close: true })
      return false
    },
  }
}
