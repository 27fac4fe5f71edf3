// The icons, drawn as lines in a square of 24.
const LINES = {
  home: 'M4 11l8-7 8 7M6 9.500V20h12V9.500M10 20v-6h4v6',
  invoice: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9.5 8h5M9.5 12h5',
  bill: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  estimate: 'M5 4h14v16H5zM9 4v16M13 9h3M13 13h3',
  order: 'M4 5h3l2 10h9l2-7H8M10 20h.01M17 20h.01',
  note: 'M5 4h14v10l-5 6H5zM14 20v-6h5M9 9h6',
  expense: 'M4 7h16v11H4zM4 11h16M8 15h3',
  payment: 'M4 8h13l-3-3M20 16H7l3 3',
  journal: 'M5 4h13a1 1 0 0 1 1 1v15H7a2 2 0 0 1-2-2zM9 4v16M12 9h4M12 13h4',
  schedule: 'M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM12 7v5l3.5 2',
  webhook: 'M7 17a3 3 0 1 1 2.6-4.500M14 17h5a3 3 0 1 0-2.6-4.500M12 8a3 3 0 1 1 2.6 4.500L12.5 16',
  delivery: 'M3 6h11v10H3zM14 9h4l3 3v4h-7M7 19h.01M17 19h.01',
  token: 'M14 10a4 4 0 1 0-3.5 4L13 16h2v2h2v2h3v-3z',
  request: 'M4 6h16M4 12h10M4 18h13',
  app: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 16.500h7M16.5 13v7',
  settings: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  branch: 'M5 21V8l7-5 7 5v13M9 21v-6h6v6M9 11h.01M15 11h.01',
  percent: 'M6 18L18 6M8 9a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM16 18a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  number: 'M9 4L7 20M17 4l-2 16M4 9h16M4 15h16',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.5-4 3-6 6.5-6s6 2 6.5 6M16 4.500a3.5 3.5 0 0 1 0 6.500M18 14.500c2 .8 3.2 2.8 3.5 5.5',
  person: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c.5-4.5 3.5-7 8-7s7.5 2.5 8 7',
  down: 'M6 9l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  check: 'M5 13l4 4L19 7',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.500M17.5 17.500L19 19M5 19l1.5-1.500M17.5 6.500L19 5',
  moon: 'M20 14.500A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.500z',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  book: 'M12 6c-2-1.5-5-2-8-2v14c3 0 6 .5 8 2 2-1.5 5-2 8-2V4c-3 0-6 .5-8 2zM12 6v14',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h10',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  pdf: 'M6 3h8l4 4v14H6zM14 3v4h4M9 17l3-6 3 6',
  mail: 'M3 6h18v12H3zM3 7l9 6 9-6',
  comment: 'M4 5h16v11H9l-5 4z',
  clock: 'M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM12 7v5h4',
  clip: 'M20 11l-8.5 8.500a5 5 0 0 1-7-7L13 4a3.5 3.5 0 0 1 5 5l-8.5 8.500a2 2 0 0 1-3-3L14 7',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
} as const

export type IconName = keyof typeof LINES

/** Without a label it says nothing to a reader of the screen: what it stands beside does. */
export function Icon({ name, size = 17, label }: { name: IconName; size?: number; label?: string }) {
  const says = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label }
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...says}
    >
      <path d={LINES[name]} />
    </svg>
  )
}
