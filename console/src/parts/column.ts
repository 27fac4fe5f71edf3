// A column of a list.
import type { ReactNode } from 'react'

export interface Column<Row> {
  title: string
  of(row: Row): ReactNode
  /** A track of a CSS grid: '2fr', '110px'. */
  width: string
  isAmount?: true
  /** Where it stands on a narrow screen, whose rows have two lines. Left out: it is not shown there. */
  narrow?: 'title' | 'aside' | 'amount' | 'detail' | 'state'
}
