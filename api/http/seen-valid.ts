// Remembers which credentials were valid when they were last looked up, so that the limit of an address does not refuse them.

/** By hash. It decides only whether a look-up is made, never whether a credential is valid. */
export interface SeenValid {
  has(credential: string): boolean
  note(credential: string, isValid: boolean): void
}

/** About 150 bytes each. Only valid ones are remembered, so nobody can fill it with made-up ones. */
const MOST = 20_000

export function createSeenValid(): SeenValid {
  const seen = new Set<string>()
  return {
    has: (credential) => seen.has(credential),
    note(credential, isValid) {
      if (!isValid) return void seen.delete(credential)
      if (seen.size >= MOST) seen.clear()
      seen.add(credential)
    },
  }
}
