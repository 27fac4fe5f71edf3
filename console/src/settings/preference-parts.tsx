// The parts of the form of preferences: how documents are counted and printed, mails, reminders.
import { Anchor, Button, Group, NativeSelect, SimpleGrid, Switch, Text, TextInput, Textarea } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import type { TextField } from '../parts/fields.ts'
import { inWords } from '../parts/status.tsx'
import type { Flags, Preferences } from './preferences.ts'

export interface PartProps {
  field(name: string, label: string): TextField & { disabled: boolean }
  flag(name: keyof Flags, label: string): ReactNode
}

const choices = (codes: string[]) => codes.map((code) => ({ value: code, label: inWords(code) }))

export function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="card" aria-labelledby={id}>
      <Text component="h2" className="caption" id={id}>
        {title}
      </Text>
      {children}
    </section>
  )
}

const Pair = ({ children }: { children: ReactNode }) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mb="sm">
    {children}
  </SimpleGrid>
)

export const InvoicePart = ({ field, flag }: PartProps) => (
  <Part title="Invoices and payments">
    {flag('roundInvoiceTotals', 'Round the totals of invoices to whole units of the currency')}
    <Pair>
      <NativeSelect {...field('roundingMethod', 'Rounded')} data={choices(['nearest', 'up', 'down'])} />
    </Pair>
    {flag('strictPaymentDedupe', 'Refuse payments that look like one that exists')}
  </Part>
)

interface PrintPartProps extends PartProps {
  logo: Preferences['pdf']['logo']
  /** The file that was chosen; null takes the logo away, undefined leaves it. */
  chosen: string | null | undefined
  onLogo(file: File | null): void
  isLocked: boolean
  sample: ReactNode
}

export function PrintPart({ field, logo, chosen, onLogo, isLocked, sample }: PrintPartProps) {
  return (
    <Part title="PDF">
      {sample}
      <Pair>
        <NativeSelect
          {...field('invoiceTemplate', 'Template')}
          data={choices(['classic', 'modern', 'boxed', 'tally'])}
        />
        <Logo logo={logo} chosen={chosen} onLogo={onLogo} isLocked={isLocked} />
        <TextInput {...field('pdf.bankDetails.accountName', 'Account holder')} />
        <TextInput {...field('pdf.bankDetails.accountNumber', 'Account number')} />
        <TextInput {...field('pdf.bankDetails.bankName', 'Bank')} />
        <TextInput {...field('pdf.bankDetails.ifsc', 'IFSC')} placeholder="HDFC0001234" />
        <TextInput {...field('pdf.bankDetails.branch', 'Branch of the bank')} />
        <TextInput {...field('pdf.upiId', 'UPI address')} placeholder="name@bank" />
        <TextInput {...field('pdf.signatory.name', 'Signatory')} />
        <TextInput {...field('pdf.signatory.designation', 'Designation')} />
      </Pair>
      <Textarea {...field('pdf.terms', 'Terms')} mb="sm" />
      <TextInput {...field('pdf.footer', 'Footer')} />
    </Part>
  )
}

function Logo({ logo, chosen, onLogo, isLocked }: Pick<PrintPartProps, 'logo' | 'chosen' | 'onLogo' | 'isLocked'>) {
  const id = useId()
  const has = chosen === undefined ? logo !== null : chosen !== null
  return (
    <div>
      <Text component="label" size="sm" fw={500} htmlFor={id}>
        Logo
      </Text>
      {!isLocked && (
        <input
          id={id}
          className="file"
          type="file"
          accept="image/png,image/jpeg"
          onChange={({ currentTarget }) => onLogo(currentTarget.files?.[0] ?? null)}
        />
      )}
      <Group gap="xs">
        {chosen && <img src={chosen} alt="The chosen logo" className="logo" />}
        <Text size="xs" c="dimmed">
          {chosen
            ? 'Kept when you save'
            : has && logo
              ? `${logo.width} × ${logo.height}`
              : 'None. PNG or JPEG, up to 1 MB'}
        </Text>
        {has && !isLocked && (
          <Button size="compact-sm" variant="default" onClick={() => onLogo(null)}>
            Remove the logo
          </Button>
        )}
      </Group>
    </div>
  )
}

export const MailPart = ({ field }: PartProps) => (
  <Part title="Mail">
    <Pair>
      <TextInput {...field('mail.fromName', 'Name of the sender')} maxLength={100} />
      <TextInput {...field('mail.replyTo', 'Replies go to')} type="email" />
      <TextInput {...field('mail.dailyLimit', 'Most mails in a day')} inputMode="numeric" />
    </Pair>
  </Part>
)

export const ReminderPart = ({ field, flag }: PartProps) => (
  <Part title="Reminders">
    {flag('reminders.enabled', 'Remind customers of unpaid invoices')}
    <Pair>
      <TextInput {...field('reminders.days', 'Days from the due date')} placeholder="-3, 0, 7, 15, 30" />
      <TextInput {...field('reminders.subject', 'Subject')} maxLength={200} />
    </Pair>
    <Textarea {...field('reminders.text', 'Text')} mb="sm" />
    {flag('reminders.attachPdf', 'With the PDF of the invoice')}
  </Part>
)

export const Flag = ({
  label,
  isSet,
  isLocked,
  onChange,
}: {
  label: string
  isSet: boolean
  isLocked: boolean
  onChange: (isSet: boolean) => void
}) => (
  <Switch
    label={label}
    mb="sm"
    checked={isSet}
    disabled={isLocked}
    onChange={({ currentTarget }) => onChange(currentTarget.checked)}
  />
)

export const Sample = ({ href, number }: { href: string; number: string }) => (
  <Text size="sm" mb="sm">
    What is saved holds from the next PDF on:{' '}
    <Anchor href={href} target="_blank" rel="noopener" size="sm" underline="always">
      see it on invoice {number}
    </Anchor>
    .
  </Text>
)
