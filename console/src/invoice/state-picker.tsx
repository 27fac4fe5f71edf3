// Chooses a state of India.
import { Select } from '@mantine/core'
import type { PickerProps } from '../parts/pickers.tsx'
import { STATES } from './states.ts'

export function StatePicker({ value, onChange, ...rest }: PickerProps) {
  return (
    <Select
      {...rest}
      searchable
      placeholder="Choose a state"
      data={STATES.map(([code, name]) => ({ value: code, label: name }))}
      value={value === '' ? null : value}
      onChange={(code) => onChange(code ?? '')}
      nothingFoundMessage="No state found"
    />
  )
}
