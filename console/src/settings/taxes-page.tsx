// The taxes, which are read only.
import type { Column } from '../parts/column.ts'
import { quantity } from '../parts/money.ts'
import { RecordList } from '../parts/record-list.tsx'
import { inWords } from '../parts/status.tsx'

interface Tax {
  tax_id: string
  name: string
  shape: string
  cgst: number
  sgst: number
  igst: number
  cess: number
}

const rate = (title: string, of: (tax: Tax) => number): Column<Tax> => ({
  title,
  of: (tax) => (of(tax) === 0 ? '' : `${quantity(of(tax))}%`),
  width: '90px',
  isAmount: true,
})

const COLUMNS: Column<Tax>[] = [
  { title: 'Name', of: ({ name }) => name, width: '1.6fr', narrow: 'title' },
  { title: 'Shape', of: ({ shape }) => inWords(shape), width: '1fr', narrow: 'detail' },
  rate('CGST', ({ cgst }) => cgst),
  rate('SGST', ({ sgst }) => sgst),
  { ...rate('IGST', ({ igst }) => igst), narrow: 'amount' },
  rate('Cess', ({ cess }) => cess),
]

export const Page = () => (
  <RecordList<Tax>
    title="Taxes"
    detail="GST as the law has it. They cannot be changed."
    path="/taxes"
    listKey="taxes"
    filters={[]}
    columns={COLUMNS}
    idOf={({ tax_id }) => tax_id}
    linkOf={() => null}
    isFor="Lines of documents name the tax that they carry."
  />
)
