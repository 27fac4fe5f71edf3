// The mark of the product: a bound account book.
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0b5345" />
      <path
        d="M10 7h9a4.2 4.2 0 0 1 0 8.800h-9zm0 8.800h10a4.5 4.5 0 0 1 0 9.200H10z"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinejoin="round"
      />
      <path d="M6.5 7v18" stroke="#f5b041" strokeWidth="2.2" strokeLinecap="round" />
    </svg>
  )
}
