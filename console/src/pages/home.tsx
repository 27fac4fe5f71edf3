// The home page: what needs a person.
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'

export function Page() {
  useWindowTitle('Home')
  return <PageHead title="Home" />
}
