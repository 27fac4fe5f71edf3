// The routes of partners, who authenticate with X-Partner-Key.
import { Type } from 'typebox'
import { changeOrganization } from '../../commands/organizations/organization-changes.ts'
import {
  createOrganization,
  organizationOf,
  reactivateOrganization,
  reissueToken,
  suspendOrganization,
} from '../../commands/organizations/partners.ts'
import { allOf, equalTo } from '../../models/condition.ts'
import { pageAbove } from '../../models/page.ts'
import { organizations } from '../../models/organization.ts'
import { modifiedSince, schemasOf, whereOf } from '../http/listing.ts'
import { PageContext, pageQuery, pagingOf } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import {
  NewOrganization,
  Organization,
  OrganizationChanges,
  showOrganization,
  showToken,
  Token,
  TokenRequest,
} from '../shapes/organization.ts'

const partner = { tag: 'Partner provisioning', scope: null, by: 'partner' } as const
const answer = one('organization', Organization)
const filters = modifiedSince()
const organizationsQuery = pageQuery(schemasOf(filters))

// The second path is an alias of the first.
const creation = (path: string): Route =>
  route({
    ...partner,
    method: 'POST',
    path,
    does: 'Create a client organisation and its token',
    status: 201,
    keyRequired: true,
    secretAnswer: true,
    warns: true,
    body: NewOrganization,
    answer: Type.Object({ organization: Organization, token: Token }),
    async write(books, { body }) {
      const { organization, token } = await createOrganization(books, body)
      return { message: 'Organization created.', organization: showOrganization(organization), token: showToken(token) }
    },
  })

export const partnerRoutes = [
  creation('/partner/organizations'),
  creation('/provision/organization'),
  route({
    ...partner,
    method: 'GET',
    path: '/partner/organizations',
    does: "List this partner's organisations",
    query: organizationsQuery,
    answer: Type.Object({ organizations: Type.Array(Organization), page_context: PageContext }),
    async read(context, { query }) {
      const theirs = allOf([equalTo('partner_id', context.caller.partnerId), whereOf(filters, query, context)])
      const paging = pagingOf(context, '/partner/organizations', organizationsQuery, query)
      const page = await pageAbove(context.connection, organizations, { ...paging.request, where: theirs })
      return { organizations: page.rows.map(showOrganization), page_context: paging.contextOf(page) }
    },
  }),
  route({
    ...partner,
    method: 'GET',
    path: '/partner/organizations/{org_id}',
    does: 'Read a client organisation',
    answer,
    read: async ({ connection, caller }, { params }) => ({
      organization: showOrganization(await organizationOf(connection, caller.partnerId!, params.org_id!)),
    }),
  }),
  route({
    ...partner,
    method: 'PUT',
    path: '/partner/organizations/{org_id}',
    does: 'Change a client organisation',
    answer,
    body: OrganizationChanges,
    write: async (books, { params, body }) => ({
      message: 'Organization updated.',
      organization: showOrganization(await changeOrganization(books, params.org_id!, body, showOrganization)),
    }),
  }),
  route({
    ...partner,
    method: 'POST',
    path: '/partner/organizations/{org_id}/token',
    does: "Re-issue an organisation's token",
    secretAnswer: true,
    body: TokenRequest,
    answer: one('token', Token),
    write: async (books, { params, body }) => ({
      message: 'Token issued.',
      token: showToken(await reissueToken(books, params.org_id!, body.grace_seconds ?? 0)),
    }),
  }),
  route({
    ...partner,
    method: 'POST',
    path: '/partner/organizations/{org_id}/suspend',
    does: 'Suspend an organisation',
    answer,
    write: async (books, { params }) => ({
      message: 'Organization suspended.',
      organization: showOrganization(await suspendOrganization(books, params.org_id!)),
    }),
  }),
  route({
    ...partner,
    method: 'POST',
    path: '/partner/organizations/{org_id}/reactivate',
    does: 'Reactivate an organisation',
    answer,
    write: async (books, { params }) => ({
      message: 'Organization reactivated.',
      organization: showOrganization(await reactivateOrganization(books, params.org_id!)),
    }),
  }),
]
