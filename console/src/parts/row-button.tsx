// A button in the row of a list, named by what it does and to what.
import { Button } from '@mantine/core'

interface RowButtonProps {
  does: string
  /** The record, for those who do not see the row. */
  to: string
  isDangerous?: boolean
  onClick(): void
}

export const RowButton = ({ does, to, isDangerous = false, onClick }: RowButtonProps) => (
  <Button
    size="compact-sm"
    variant="default"
    className={isDangerous ? 'dangerous' : ''}
    aria-label={`${does}: ${to}`}
    onClick={onClick}
  >
    {does}
  </Button>
)
