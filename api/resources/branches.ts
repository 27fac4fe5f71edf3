// The routes of the branches: tokens read them, signed-in owners open, change and close them.
import { Type } from 'typebox'
import { changeBranch, closeBranch, createBranch } from '../../commands/masters/branches.ts'
import { branches, findBranches } from '../../models/branch.ts'
import { existingRow } from '../../models/find.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { Branch, BranchChanges, NewBranch, showBranch } from '../shapes/branch.ts'
import { one } from '../shapes/fields.ts'

const tag = 'Lookups'

export const branchRoutes = [
  route({
    method: 'GET',
    path: '/branches',
    tag,
    does: 'List all branches',
    scope: 'branches.READ',
    query: listQuery({ active_only: Type.Optional(Type.Boolean({ default: true })) }),
    answer: Type.Object({ branches: Type.Array(Branch) }),
    read: async (context, { query }) => ({
      branches: (await findBranches(context, query.active_only ?? true)).map(showBranch),
    }),
  }),
  route({
    method: 'GET',
    path: '/branches/{branch_id}',
    tag,
    does: 'Read a branch',
    scope: 'branches.READ',
    answer: one('branch', Branch),
    read: async (context, { params }) => ({
      branch: showBranch(await existingRow(context, branches, params.branch_id!, 'branch')),
    }),
  }),
]

const owners = { by: 'session', tag: 'Branches', scope: 'preferences.UPDATE', answer: one('branch', Branch) } as const

/** Below /internal/v1. */
export const branchChanges = [
  route({
    ...owners,
    method: 'POST',
    path: '/branches',
    does: 'Open a branch',
    status: 201,
    body: NewBranch,
    write: async (books, { body }) => ({
      message: 'Branch created.',
      branch: showBranch(await createBranch(books, body)),
    }),
  }),
  route({
    ...owners,
    method: 'PUT',
    path: '/branches/{branch_id}',
    does: 'Change the name and the addresses of a branch',
    body: BranchChanges,
    write: async (books, { params, body }) => ({
      message: 'Branch updated.',
      branch: showBranch(await changeBranch(books, params.branch_id!, body, showBranch)),
    }),
  }),
  route({
    ...owners,
    method: 'POST',
    path: '/branches/{branch_id}/close',
    does: 'Close a branch',
    write: async (books, { params }) => ({
      message: 'Branch closed.',
      branch: showBranch(await closeBranch(books, params.branch_id!)),
    }),
  }),
]
