// The keys that lead to pages, and the window that lists them.
import { Kbd, Modal, Table } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { isTyping } from '../parts/keys.ts'
import { PAGES } from './pages.ts'

const ALSO: [keys: string, does: string][] = [
  ['/', 'to the filters of a list'],
  ['j', 'to the next row'],
  ['k', 'to the row before'],
  ['n', 'a new invoice'],
  ['?', 'these keys'],
]

const SEQUENCE_MS = 1_200
const SHOW = 'bahi-shortcuts'

export const showShortcuts = () => document.dispatchEvent(new Event(SHOW))

export function Shortcuts() {
  const [isShown, setShown] = useState(false)
  const navigate = useNavigate()
  const last = useRef({ key: '', time: 0 })
  useEffect(() => {
    const show = () => setShown(true)
    const press = (event: KeyboardEvent) => {
      if (isTyping(event)) return
      const sequence =
        event.timeStamp - last.current.time < SEQUENCE_MS ? `${last.current.key} ${event.key}` : event.key
      last.current = { key: event.key, time: event.timeStamp }
      const page = PAGES.find(({ keys }) => keys === sequence)
      if (page) void navigate(`/${page.path}`)
      else if (event.key === '?') show()
      else if (event.key === 'n') void navigate('/new/invoice')
      else if (event.key === '/')
        document.querySelector<HTMLElement>('[data-filters] input, [data-filters] select')?.focus()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    document.addEventListener(SHOW, show)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener(SHOW, show)
    }
  }, [navigate])
  const rows = [...PAGES.flatMap(({ keys, title }) => (keys ? [[keys, title] as const] : [])), ...ALSO]
  return (
    <Modal opened={isShown} onClose={() => setShown(false)} title="Keys">
      <Table>
        <Table.Tbody>
          {rows.map(([keys, does]) => (
            <Table.Tr key={keys}>
              <Table.Th w={100} scope="row">
                {keys.split(' ').map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Th>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}
