// Draws up an invoice by hand.
import { PageHead } from '../parts/page-head.tsx'

export function Page() {
  return <PageHead title="New invoice" />
}
