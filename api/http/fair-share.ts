// A semaphore that is shared fairly: so much in all, so much for each owner, and those who wait take turns.
import { fault } from '../../domain/faults.ts'

/** Gives back what was taken; a second call does nothing. */
export type Release = () => void

export interface FairShare {
  /**
   * Takes an amount for an owner: at once where there is enough, otherwise first come first served within an owner and
   * in turn between owners. Throws service.unavailable when the wait is too long, and the reason of `over` when it is
   * aborted meanwhile. An amount above an owner's share counts as the whole share.
   */
  take(owner: string, amount?: number, over?: AbortSignal): Release | Promise<Release>
  /** What is taken at the moment, in all. */
  taken(): number
}

export interface ShareOptions {
  total: number
  /** The most that one owner holds. */
  each: number
  waitSeconds: number
  /** What a caller is told whose wait was too long. */
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
  // Only owners who hold something or wait for it are kept.
  const owners = new Map<string, Owner>()
  let free = total
  // Whether somebody within their own share waits for the total: newcomers then wait behind them.
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

  // Serves those who wait, one of each owner in turn; who was served goes to the end of the row.
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
      const timer = setTimeout(() => giveUp(fault('service.unavailable', { message, retryAfter: waitSeconds })), waitSeconds * 1000)
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
    take(name, wanted = 1, over) {
      over?.throwIfAborted()
      const amount = Math.min(wanted, each, total)
      let owner = owners.get(name)
      if (!owner) owners.set(name, (owner = { held: 0, waiting: new Set() }))
      const fits = !isCrowded && owner.waiting.size === 0 && amount <= free && owner.held + amount <= each
      return fits ? hold(name, owner, amount) : wait(name, owner, amount, over)
    },
    taken: () => total - free,
  }
}
