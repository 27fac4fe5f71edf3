// Who is signed in, and the organisation that the pages are about.
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { callFor, person } from '../api/call.ts'
import { ApiFault } from '../api/fault.ts'
import { queryClient } from './queries.ts'

export type Role = 'OWNER' | 'ACCOUNTANT' | 'VIEWER'

export interface Membership {
  org_id: string
  name: string
  role: Role
}

export interface SignedIn {
  user: { user_id: string | null; email: string; name: string | null }
  organizations: Membership[]
  organization: Membership | null
}

/** The session with the organisation that was chosen in this tab, or last in any. */
export interface Session extends SignedIn {
  organization: Membership
}

const CHOSEN = 'bahi-organization'
const SESSION = ['session']

const chosen = () => sessionStorage.getItem(CHOSEN) ?? localStorage.getItem(CHOSEN)

export const SessionContext = createContext<Session | null>(null)

/** The session of a page within the shell. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('This page is not within the shell.')
  return session
}

/** Whether the person may change the books. */
export const useMayWrite = () => useSession().organization.role !== 'VIEWER'

/** null where nobody is signed in. */
export function useSignedIn() {
  return useQuery({ queryKey: SESSION, queryFn: readSession, staleTime: 60_000 })
}

async function readSession(): Promise<SignedIn | null> {
  try {
    const answer = await person().get('/session')
    const current = answer.organizations.find(({ org_id }) => org_id === chosen()) ?? answer.organizations[0] ?? null
    callFor(current?.org_id ?? null)
    return { ...answer, organization: current }
  } catch (error) {
    if (error instanceof ApiFault && error.status === 401) return null
    throw error
  }
}

/** Signs in; throws an ApiFault. */
export async function signIn(email: string, password: string): Promise<void> {
  await person().post('/session', { body: { email, password } })
  await queryClient.invalidateQueries({ queryKey: SESSION })
}

export async function signOut(): Promise<void> {
  await person().delete('/session')
  signedOut()
}

/** The session has ended: nothing that it was shown is kept. */
export function signedOut(): void {
  callFor(null)
  queryClient.setQueryData(SESSION, null)
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] })
}

/** Everything that is shown from now on is about this organisation. */
export function chooseOrganization(orgId: string): void {
  sessionStorage.setItem(CHOSEN, orgId)
  localStorage.setItem(CHOSEN, orgId)
  location.assign('/console/')
}
