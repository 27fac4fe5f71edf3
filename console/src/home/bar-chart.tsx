// A small bar chart, with the same figures as a table for whoever does not see it.
import { Loader, Text } from '@mantine/core'
import { about, amount, money } from '../parts/money.ts'

export interface Bar {
  name: string
  amount: number
}

interface BarChartProps {
  title: string
  /** What the chart shows of the title. */
  text: string
  /** What a bar is of. */
  unit: string
  bars: Bar[] | undefined
  error: Error | null
  /** Whether the figure above the chart is the sum of the bars; otherwise it is the last one. */
  sums?: boolean
}

const WIDTH = 300
const HEIGHT = 120
const BASE = 100
const GAP = 10

export function BarChart({ title, text, unit, bars, error, sums = false }: BarChartProps) {
  if (error || !bars)
    return (
      <div className="card">
        <Text fw={600}>{title}</Text>
        {error ? <Text size="sm">Could not be read: {error.message}</Text> : <Loader size="sm" aria-label="Loading" />}
      </div>
    )
  const shown = sums ? bars.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100 : bars.at(-1)!.amount
  return (
    <figure className="card chart">
      <figcaption>
        <Text component="span" display="block" size="sm" fw={600}>
          {title}
        </Text>
        <span className="chart-figure">{money(shown)}</span>
        <Text component="span" display="block" size="xs" c="dimmed">
          {text}
        </Text>
      </figcaption>
      <Bars bars={bars} />
      <details>
        <summary>As a table</summary>
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">{unit}</th>
              <th scope="col" data-amount>
                Amount
              </th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.name}>
                <th scope="row">{bar.name}</th>
                <td data-amount>{amount(bar.amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function Bars({ bars }: { bars: Bar[] }) {
  const most = Math.max(1, ...bars.map(({ amount }) => Math.abs(amount)))
  const width = (WIDTH - GAP * (bars.length - 1)) / bars.length
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" className="bars">
      {bars.map(({ name, amount }, place) => {
        const height = (Math.abs(amount) / most) * (BASE - 18)
        const x = place * (width + GAP)
        return (
          <g key={name}>
            <rect
              x={x}
              y={BASE - height}
              width={width}
              height={Math.max(1, height)}
              rx="2"
              data-negative={amount < 0 || undefined}
            />
            <text x={x + width / 2} y={BASE - height - 4}>
              {amount === 0 ? '' : about(amount)}
            </text>
            <text x={x + width / 2} y={HEIGHT - 6}>
              {name}
            </text>
          </g>
        )
      })}
      <line x1="0" y1={BASE} x2={WIDTH} y2={BASE} />
    </svg>
  )
}
