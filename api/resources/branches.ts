// The routes of the branches, which are only read.
import { Type } from 'typebox'
import { branches, findBranches } from '../../models/branch.ts'
import { existingRow } from '../../models/find.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { Branch, showBranch } from '../shapes/branch.ts'
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
