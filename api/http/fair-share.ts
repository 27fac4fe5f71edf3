// A fair semaphore: a total, a maximum for each owner, and a queue that serves the owners in turn.
import { fault } from '../../domain/faults.ts'

/** Releases what was taken; a second call does nothing. */
export type Release = () => void

export interface FairShare {
  /**
   * Takes an amount for an owner: at once if enough is free, otherwise after a wait, in order of arrival within an owner
   * and round-robin between owners. Throws service.unavailable after `waitSeconds`, and the reason of `over` if it is
   * aborted during the wait. An amount above `each` takes `each`.
   */
  take(owner: string, amount?: number, over?: AbortSignal): Release | Promise<Release>
  /** The total amount that is taken now. */
  taken(): number
}

export interface ShareOptions {
  total: number
  /** The most that one owner may hold. */
  each: number
  waitSeconds: number
  /** The message of the error after a wait that was too long. */
  message: string
}

interface Waiter {
  amount: number
  grant(release: Release): void
}

interface Owner {
  held: number
  waiting: Set<Waiter>
}

export function createFairShare({ total, each, waitSeconds, message }: ShareOptions): FairShare {
  // Only owners that hold something or wait for it are kept.
  const owners = new Map<string, Owner>()
  let free = total
  // True while an owner below its maximum waits for the total. New requests then join the queue.
  let isCrowded = false

  function release(name: string, amount: number): Release {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      free += amount
      owners.get(name)!.held -= amount
      serve()
      forget(name)
    }
  }

  function forget(name: string): void {
    const owner = owners.get(name)
    if (owner && owner.held === 0 && owner.waiting.size === 0) owners.delete(name)
  }

  function hold(name: string, owner: Owner, amount: number): Release {
    free -= amount
    owner.held += amount
    return release(name, amount)
  }

  // Serves one waiter of each owner in turn; an owner that was served moves to the end of the queue.
  function serve(): void {
    isCrowded = false
    for (const [name, owner] of owners) {
      const [next] = owner.waiting
      if (!next || owner.held + next.amount > each) continue
      if (next.amount > free) {
        isCrowded = true
        return
      }
      owner.waiting.delete(next)
      owners.delete(name)
      owners.set(name, owner)
      next.grant(hold(name, owner, next.amount))
    }
  }

  function wait(name: string, owner: Owner, amount: number, over: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        owner.waiting.delete(waiter)
        clearTimeout(timer)
        over?.removeEventListener('abort', abort)
      }
      const giveUp = (reason: unknown) => {
        leave()
        serve()
        forget(name)
        reject(reason)
      }
      const abort = () => giveUp(over!.reason)
      const timer = setTimeout(
        () => giveUp(fault('service.unavailable', { message, retryAfter: waitSeconds })),
        waitSeconds * 1000,
      )
      const grant = (granted: Release) => {
        leave()
        resolve(granted)
      }
      const waiter: Waiter = { amount, grant }
      owner.waiting.add(waiter)
      over?.addEventListener('abort', abort)
      serve()
    })
  }

  return {
    take(name, requested = 1, over) {
      over?.throwIfAborted()
      const amount = Math.min(requested, each, total)
      let owner = owners.get(name)
      if (!owner) owners.set(name, (owner = { held: 0, waiting: new Set() }))
      const fits = !isCrowded && owner.waiting.size === 0 && amount <= free && owner.held + amount <= each
      return fits ? hold(name, owner, amount) : wait(name, owner, amount, over)
    },
    taken: () => total - free,
  }
}
