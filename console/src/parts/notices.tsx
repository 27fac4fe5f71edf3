// Short messages after what a person did, which go away by themselves.
import { CloseButton, Paper, Text } from '@mantine/core'
import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from 'react'

interface Notice {
  id: number
  text: string
  isBad: boolean
}

interface Notifying {
  say(text: string): void
  warn(text: string): void
}

const SHOWN_MS = 6_000

const NoticeContext = createContext<Notifying>({ say: () => undefined, warn: () => undefined })

export const useNotices = () => useContext(NoticeContext)

let last = 0

export function Notices({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<Notice[]>([])
  const remove = useCallback((id: number) => setNotices((shown) => shown.filter((one) => one.id !== id)), [])
  const add = useCallback(
    (text: string, isBad: boolean) => {
      last += 1
      const id = last
      setNotices((shown) => [...shown.slice(-2), { id, text, isBad }])
      setTimeout(() => remove(id), isBad ? SHOWN_MS * 2 : SHOWN_MS)
    },
    [remove],
  )
  const notifying = useMemo(
    () => ({ say: (text: string) => add(text, false), warn: (text: string) => add(text, true) }),
    [add],
  )
  return (
    <NoticeContext value={notifying}>
      {children}
      <div className="notices" role="status" aria-live="polite">
        {notices.map(({ id, text, isBad }) => (
          <Paper key={id} shadow="md" withBorder className="notice" data-bad={isBad || undefined}>
            <Text size="sm">{text}</Text>
            <CloseButton size="sm" aria-label="Close" onClick={() => remove(id)} />
          </Paper>
        ))}
      </div>
    </NoticeContext>
  )
}
