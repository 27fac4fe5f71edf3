// A branch as JSON, and the changes of one.
import { Type, type Static } from 'typebox'
import type { BranchRow } from '../../models/branch.ts'
import { Address, AnsweredAddress } from './address.ts'
import { Id, Name, nullable, optional, Text } from './fields.ts'

export const Branch = Type.Object({
  branch_id: Id,
  code: Type.String(),
  name: Type.String(),
  gstin: nullable(Type.String()),
  state: Type.String({ description: 'IN-XX; decides between CGST + SGST and IGST.' }),
  city: nullable(Type.String()),
  address: Type.Unsafe<Static<typeof AnsweredAddress> | null>({
    ...nullable(AnsweredAddress),
    description: "Null where it is the organisation's.",
  }),
  dispatch_address: Type.Unsafe<Static<typeof AnsweredAddress> | null>({
    ...nullable(AnsweredAddress),
    description: 'Where goods leave from; null where that is the address of the branch.',
  }),
  is_default: Type.Boolean(),
  is_active: Type.Boolean(),
  invoice_prefix: Type.String(),
  bill_prefix: Type.String(),
})

/** Without a state it is that of the GSTIN; without prefixes they are made of the code. */
export const NewBranch = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 10, pattern: '^[A-Za-z0-9]+$' }),
  name: Name(200),
  gstin: optional(Text(15)),
  state: optional(Text(100)),
  city: optional(Text(100)),
  address: optional(Address),
  dispatch_address: optional(Address),
  invoice_prefix: optional(Text(20)),
  bill_prefix: optional(Text(20)),
})

/** Every field may be left out, and stays as it is. The fields of an address merge; null removes it. */
export const BranchChanges = Type.Object(
  {
    name: Type.Optional(Name(200)),
    city: optional(Text(100)),
    address: optional(Address),
    dispatch_address: optional(Address),
  },
  { examples: [{ address: { address: '7 Chord Road', city: 'Bengaluru', state_code: 'IN-KA', zip: '560010' } }] },
)

export function showBranch(branch: BranchRow): Static<typeof Branch> {
  const { id, org_id: _org, created_time: _created, last_modified_time: _modified, ...plain } = branch
  return { branch_id: id, ...plain }
}
