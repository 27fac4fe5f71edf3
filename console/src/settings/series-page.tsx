// The number series of invoices, each with its next number, and the numbers of deleted drafts.
import { Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { ShowAsCurl } from '../parts/curl.tsx'
import { moment } from '../parts/dates.ts'
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'
import { Reading } from '../parts/reading.tsx'
import { inWords } from '../parts/status.tsx'
import type { Branch } from './branch.ts'

interface Series {
  seriesName: string
  label: string | null
  prefix: string
  isDefault: boolean
}

interface Gap {
  number: string
  series: string | null
  reason: string
  time: string
}

const MOST_GAPS = 50

export function Page() {
  useWindowTitle('Invoice numbers')
  const [branch, setBranch] = useState('')
  const { data: branches = [] } = useQuery({
    queryKey: ['branches'],
    queryFn: async () => (await call<{ branches: Branch[] }>('GET', '/branches')).branches,
  })
  const query = branch === '' ? {} : { branchId: branch }
  const { data, error } = useQuery({
    queryKey: ['series', branch],
    queryFn: async () => (await call<{ series: Series[] }>('GET', '/invoices/series', { query })).series,
  })
  return (
    <>
      <PageHead title="Invoice numbers" detail="The series of this financial year.">
        <ShowAsCurl path="/invoices/series" query={query} />
      </PageHead>
      {branches.length > 1 && (
        <Group mb="sm">
          <NativeSelect
            label="Branch"
            value={branch}
            onChange={({ currentTarget }) => setBranch(currentTarget.value)}
            data={[
              { value: '', label: 'The default one' },
              ...branches.map(({ branch_id, name }) => ({ value: branch_id, label: name })),
            ]}
          />
        </Group>
      )}
      {data ? <Table series={data} branch={branch} /> : <Reading error={error} />}
      <Gaps />
    </>
  )
}

function Table({ series, branch }: { series: Series[]; branch: string }) {
  return (
    <section className="card scroll-x" aria-label="Series" tabIndex={0}>
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">Prefix</th>
            <th scope="col">Next number</th>
          </tr>
        </thead>
        <tbody>
          {series.map(({ seriesName, label, prefix, isDefault }) => (
            <tr key={seriesName}>
              <td>
                {label ?? seriesName}
                {isDefault && seriesName !== 'default' ? ' (default)' : ''}
              </td>
              <td>{prefix}</td>
              <td>
                <NextNumber series={seriesName} branch={branch} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function NextNumber({ series, branch }: { series: string; branch: string }) {
  const { data, error } = useQuery({
    queryKey: ['next-number', series, branch],
    queryFn: async () => {
      const query = { series, ...(branch && { branchId: branch }) }
      return (await call<{ next_number: string }>('GET', '/invoices/series/next-number', { query })).next_number
    },
  })
  return error?.message ?? data ?? ''
}

function Gaps() {
  const { data = [] } = useQuery({
    queryKey: ['gaps'],
    queryFn: async () =>
      (await call<{ gaps: Gap[] }>('GET', '/invoices/series/gaps', { query: { per_page: MOST_GAPS } })).gaps,
  })
  if (data.length === 0) return null
  return (
    <section className="card scroll-x" aria-label="Gaps" tabIndex={0} style={{ marginTop: 16 }}>
      <Text component="h2" className="caption">
        Latest numbers that no invoice has
      </Text>
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">Number</th>
            <th scope="col">Why</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {data.map(({ number, reason, time }) => (
            <tr key={`${number} ${time}`}>
              <td>{number}</td>
              <td>{inWords(reason)}</td>
              <td>{moment(time)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
