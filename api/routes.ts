// The list of all routes, in the specification's order.
import { Type } from 'typebox'
import { openapi } from './http/openapi.ts'
import { route, type Route } from './http/route.ts'
import { contactRoutes } from './resources/contacts.ts'
import { invoiceSeriesRoutes } from './resources/invoice-series.ts'
import { invoiceRoutes } from './resources/invoices.ts'
import { partnerRoutes } from './resources/partners.ts'
import { utilityRoutes } from './resources/utility.ts'
import { webhookRoutes } from './resources/webhooks.ts'

const RESOURCES: Route[] = [
  ...utilityRoutes,
  ...partnerRoutes,
  ...contactRoutes,
  ...invoiceRoutes,
  ...invoiceSeriesRoutes,
  ...webhookRoutes,
]

/** All routes, the OpenAPI document's own included; `publicUrl` is the origin that callers see. */
export function routesOf({ publicUrl }: { publicUrl: string }): Route[] {
  const document: Route = route({
    method: 'GET', path: '/openapi.json', tag: 'Utility', does: 'This document', scope: null, by: 'anyone', bare: true,
    answer: Type.Object({}, { additionalProperties: true }),
    read: async () => described,
  })
  const routes = [...RESOURCES, document]
  const described = openapi(routes, `${publicUrl}/api/public/v1`)
  return routes
}
