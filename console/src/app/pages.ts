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
]
