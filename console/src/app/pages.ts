// The table of pages: where each is, how it is called in the navigation, and the file that draws it.
import type { ComponentType } from 'react'
import { KINDS } from '../documents/kinds.ts'
import type { IconName } from '../parts/icon.tsx'
import type { Role } from './session.tsx'

export const GROUPS = ['', 'Sales', 'Purchases', 'Money', 'Automation', 'Developers', 'Settings'] as const

export interface PageEntry {
  /** Below /console/. */
  path: string
  title: string
  /** Where the navigation has it. Left out: it is reached from another page. */
  group?: (typeof GROUPS)[number]
  icon?: IconName
  /** The keys that lead there, pressed one after the other. */
  keys?: string
  /** Who sees it in the navigation; everybody unless it says so. */
  roles?: Role[]
  load(): Promise<{ Page: ComponentType }>
}

const documents = (kind: keyof typeof KINDS, keys: string): PageEntry[] => {
  const { path, title, group, icon } = KINDS[kind]
  return [
    { path: path.slice(1), title, group, icon, keys, load: () => import('../pages/document-list.tsx') },
    { path: `${path.slice(1)}/:id`, title, load: () => import('../pages/document.tsx') },
  ]
}

const OWNERS: Role[] = ['OWNER']
const KEEPERS: Role[] = ['OWNER', 'ACCOUNTANT']

const SCHEDULES: PageEntry[] = [
  {
    group: 'Automation',
    path: 'schedules',
    title: 'Schedules',
    icon: 'schedule',
    keys: 'g s',
    load: () => import('../schedules/schedules-page.tsx'),
  },
  { path: 'schedules/:id', title: 'Schedule', load: () => import('../schedules/schedule-page.tsx') },
]

const developers = { group: 'Developers' } as const

const DEVELOPERS: PageEntry[] = [
  {
    ...developers,
    path: 'endpoints',
    title: 'Endpoints',
    icon: 'webhook',
    keys: 'g w',
    load: () => import('../developers/endpoints-page.tsx'),
  },
  { path: 'endpoints/:id', title: 'Endpoint', load: () => import('../developers/endpoint-page.tsx') },
  {
    ...developers,
    path: 'deliveries',
    title: 'Deliveries',
    icon: 'delivery',
    keys: 'g l',
    load: () => import('../developers/deliveries-page.tsx'),
  },
  { path: 'deliveries/:id', title: 'Delivery', load: () => import('../developers/delivery-page.tsx') },
  {
    ...developers,
    path: 'requests',
    title: 'Requests',
    icon: 'request',
    keys: 'g r',
    roles: KEEPERS,
    load: () => import('../developers/requests-page.tsx'),
  },
  {
    ...developers,
    path: 'tokens',
    title: 'Tokens',
    icon: 'token',
    keys: 'g t',
    roles: OWNERS,
    load: () => import('../developers/tokens-page.tsx'),
  },
  {
    ...developers,
    path: 'clients',
    title: 'OAuth clients',
    icon: 'app',
    roles: OWNERS,
    load: () => import('../developers/oauth-clients-page.tsx'),
  },
]

const settings = { group: 'Settings' } as const

const SETTINGS: PageEntry[] = [
  {
    ...settings,
    path: 'preferences',
    title: 'Preferences',
    icon: 'settings',
    keys: 'g ,',
    load: () => import('../settings/preferences-page.tsx'),
  },
  {
    ...settings,
    path: 'branches',
    title: 'Branches',
    icon: 'branch',
    load: () => import('../settings/branches-page.tsx'),
  },
  {
    ...settings,
    path: 'cost-centers',
    title: 'Cost centers',
    icon: 'clip',
    load: () => import('../settings/cost-centers-page.tsx'),
  },
  {
    ...settings,
    path: 'exchange-rates',
    title: 'Exchange rates',
    icon: 'payment',
    load: () => import('../settings/exchange-rates-page.tsx'),
  },
  { ...settings, path: 'taxes', title: 'Taxes', icon: 'percent', load: () => import('../settings/taxes-page.tsx') },
  {
    ...settings,
    path: 'numbers',
    title: 'Invoice numbers',
    icon: 'number',
    load: () => import('../settings/series-page.tsx'),
  },
  {
    ...settings,
    path: 'members',
    title: 'Members',
    icon: 'people',
    keys: 'g m',
    roles: OWNERS,
    load: () => import('../settings/members-page.tsx'),
  },
  {
    ...settings,
    path: 'apps',
    title: 'Allowed apps',
    icon: 'app',
    load: () => import('../settings/consents-page.tsx'),
  },
  {
    ...settings,
    path: 'sessions',
    title: 'Your sessions',
    icon: 'person',
    load: () => import('../settings/account-page.tsx'),
  },
]

/** In the order of the navigation. A page is a file in pages/ that exports Page, and a line here. */
export const PAGES: PageEntry[] = [
  { path: '', title: 'Home', group: '', icon: 'home', keys: 'g h', load: () => import('../pages/home.tsx') },
  ...documents('INVOICE', 'g i'),
  { path: 'new/invoice', title: 'New invoice', load: () => import('../pages/new-invoice.tsx') },
  ...documents('ESTIMATE', 'g e'),
  ...documents('SALES_ORDER', 'g o'),
  ...documents('CREDIT_NOTE', 'g c'),
  ...documents('BILL', 'g b'),
  ...documents('PURCHASE_ORDER', 'g u'),
  ...documents('DEBIT_NOTE', 'g d'),
  ...documents('EXPENSE', 'g x'),
  ...documents('PAYMENT', 'g p'),
  ...documents('JOURNAL', 'g j'),
  ...SCHEDULES,
  ...DEVELOPERS,
  ...SETTINGS,
]
