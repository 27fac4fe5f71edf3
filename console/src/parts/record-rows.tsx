// The rows of a list, of which only those near the window exist: a list of 200,000 costs no more than one of 50.
import { Loader } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { Column } from './column.ts'
import { isTyping } from './keys.ts'

interface RecordRowsProps<Row> {
  label: string
  rows: Row[]
  columns: Column<Row>[]
  idOf(row: Row): string
  linkOf(row: Row): string | null
  /** Its rows have two lines then. It cannot change while the rows are there. */
  isNarrow: boolean
  isLoading: boolean
  hasMore: boolean
  /** Called when the last rows come near. */
  onEnd(): void
}

const ROW_PX = 38
const NARROW_ROW_PX = 60
const NEAR = 30
const HEADER_PX = 52

export function RecordRows<Row>({
  label,
  rows,
  columns,
  idOf,
  linkOf,
  isNarrow,
  isLoading,
  hasMore,
  onEnd,
}: RecordRowsProps<Row>) {
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop(body.current ? body.current.getBoundingClientRect().top + window.scrollY : 0), [])
  const size = isNarrow ? NARROW_ROW_PX : ROW_PX
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => size,
    overscan: 12,
    scrollMargin: top,
    scrollPaddingStart: HEADER_PX + ROW_PX,
  })
  const seen = virtual.getVirtualItems()
  const last = seen.at(-1)?.index ?? -1
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - NEAR) onEnd()
  })
  useRowKeys(body, rows.length, (index) => virtual.scrollToIndex(index))
  const tracks = { gridTemplateColumns: columns.map(({ width }) => `minmax(0, ${width})`).join(' ') }
  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-busy={isLoading}
      className="records"
    >
      <div role="rowgroup" className="records-head">
        <div role="row" aria-rowindex={1} className="record" style={isNarrow ? {} : tracks}>
          {columns.map(({ title, isAmount }) => (
            <span key={title} role="columnheader" data-amount={isAmount}>
              {title}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={body} className="records-body" style={{ height: virtual.getTotalSize() }}>
        {seen.map(({ index, start }) => {
          const row = rows[index]!
          const place = { ...(isNarrow ? {} : tracks), height: size, transform: `translateY(${start - top}px)` }
          return (
            <div
              key={idOf(row)}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              className="record"
              style={place}
            >
              <Cells row={row} columns={columns} link={linkOf(row)} />
            </div>
          )
        })}
      </div>
      {isLoading && (
        <div className="records-loading">
          <Loader size="sm" aria-label="Loading" />
        </div>
      )}
    </div>
  )
}

function Cells<Row>({ row, columns, link }: { row: Row; columns: Column<Row>[]; link: string | null }) {
  return columns.map(({ title, of, isAmount, narrow }, place) => (
    <span key={title} role="cell" data-amount={isAmount} data-narrow={narrow}>
      {place === 0 && link !== null ? (
        <Link to={link} className="record-link">
          {of(row)}
        </Link>
      ) : (
        of(row)
      )}
    </span>
  ))
}

// j and k move the focus from row to row, those that are not drawn yet included.
function useRowKeys(
  body: React.RefObject<HTMLDivElement | null>,
  count: number,
  scrollTo: (index: number) => void,
): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.key !== 'j' && event.key !== 'k') || count === 0 || isTyping(event)) return
      const focused = document.activeElement?.closest('[data-index]')?.getAttribute('data-index')
      const step = event.key === 'j' ? 1 : -1
      const index =
        focused === null || focused === undefined ? 0 : Math.min(count - 1, Math.max(0, Number(focused) + step))
      scrollTo(index)
      requestAnimationFrame(() =>
        body.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus({ preventScroll: true }),
      )
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [body, count, scrollTo])
}
