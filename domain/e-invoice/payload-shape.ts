// The shape of an e-invoice: schema 1.1 of NIC, the part of it that we send, written from its published rules.
import { Type, type Static } from 'typebox'
import { DOCUMENT_TYPES } from './irn.ts'
import { SUPPLY_TYPES } from './supply.ts'
import { UNIT_CODES } from './units.ts'

// NIC forbids quotation marks and backslashes in every text.
const Text = (minLength: number, maxLength: number) =>
  Type.String({ minLength, maxLength, pattern: '^[^"\\\\\\x00-\\x1f]*$' })
const Amount = Type.Number({ minimum: 0, exclusiveMaximum: 1e14 })
const Rate = Type.Number({ minimum: 0, maximum: 999.999 })
const DateText = Type.String({ pattern: '^(0[1-9]|[12][0-9]|3[01])/(0[1-9]|1[0-2])/20[0-9]{2}$' })
const Gstin = Type.String({ pattern: '^[0-9]{2}[0-9A-Z]{13}$' })
const Pin = Type.Integer({ minimum: 100_000, maximum: 999_999 })
const StateCode = Type.String({ pattern: '^(?!0+$)[0-9]{2}$' })
const YesNo = Type.Enum(['Y', 'N'])
const optional = Type.Optional

const address = { Addr1: Text(1, 100), Addr2: optional(Text(3, 100)), Loc: Text(3, 100), Pin, Stcd: StateCode }
const contact = {
  Ph: optional(Type.String({ pattern: '^[0-9]{6,12}$' })),
  Em: optional(Type.String({ minLength: 6, maxLength: 100, pattern: '^[^@\\s"\\\\]+@[^@\\s"\\\\]+\\.[^@\\s"\\\\]+$' })),
}
const exactly = { additionalProperties: false }

const TranDtls = Type.Object(
  { TaxSch: Type.Literal('GST'), SupTyp: Type.Enum([...SUPPLY_TYPES]), RegRev: YesNo, IgstOnIntra: YesNo },
  exactly,
)
const DocDtls = Type.Object(
  {
    Typ: Type.Enum([...DOCUMENT_TYPES]),
    // Rule 46(b): at most 16 characters, and those alone.
    No: Type.String({ pattern: '^[a-zA-Z1-9][a-zA-Z0-9/-]{0,15}$' }),
    Dt: DateText,
  },
  exactly,
)
const SellerDtls = Type.Object(
  { Gstin, LglNm: Text(3, 100), TrdNm: optional(Text(3, 100)), ...address, ...contact },
  exactly,
)
const BuyerDtls = Type.Object(
  {
    Gstin: Type.String({ pattern: '^(URP|[0-9]{2}[0-9A-Z]{13})$' }),
    LglNm: Text(3, 100),
    TrdNm: optional(Text(3, 100)),
    Pos: StateCode,
    ...address,
    ...contact,
  },
  exactly,
)
const DispDtls = Type.Object({ Nm: Text(3, 100), ...address }, exactly)
const ShipDtls = Type.Object(
  { Gstin: optional(Gstin), LglNm: Text(3, 100), TrdNm: optional(Text(3, 100)), ...address },
  exactly,
)
const Item = Type.Object(
  {
    SlNo: Type.String({ minLength: 1, maxLength: 6 }),
    PrdDesc: optional(Text(3, 300)),
    IsServc: YesNo,
    HsnCd: Type.String({ pattern: '^(?!0+$)([0-9]{4}|[0-9]{6}|[0-9]{8})$' }),
    Qty: optional(Type.Number({ minimum: 0, maximum: 9_999_999_999.999 })),
    Unit: optional(Type.Enum([...UNIT_CODES])),
    UnitPrice: Type.Number({ minimum: 0, maximum: 999_999_999_999.999 }),
    TotAmt: Amount,
    Discount: optional(Amount),
    AssAmt: Amount,
    GstRt: Rate,
    IgstAmt: optional(Amount),
    CgstAmt: optional(Amount),
    SgstAmt: optional(Amount),
    CesRt: optional(Rate),
    CesAmt: optional(Amount),
    TotItemVal: Amount,
  },
  exactly,
)
const ValDtls = Type.Object(
  {
    AssVal: Amount,
    CgstVal: optional(Amount),
    SgstVal: optional(Amount),
    IgstVal: optional(Amount),
    CesVal: optional(Amount),
    RndOffAmt: optional(Type.Number({ minimum: -99.99, maximum: 99.99 })),
    TotInvVal: Amount,
    TotInvValFc: optional(Amount),
  },
  exactly,
)
const PayDtls = Type.Object(
  {
    Nm: optional(Text(1, 100)),
    AccDet: optional(Text(1, 18)),
    FinInsBr: optional(Text(1, 11)),
    CrDay: optional(Type.Integer({ minimum: 0, maximum: 9_999 })),
  },
  exactly,
)
const RefDtls = Type.Object(
  {
    PrecDocDtls: optional(
      Type.Array(
        Type.Object({ InvNo: Type.String({ pattern: '^[1-9a-zA-Z][0-9a-zA-Z/-]{0,15}$' }), InvDt: DateText }, exactly),
        { maxItems: 1_000 },
      ),
    ),
  },
  exactly,
)
const ExpDtls = Type.Object(
  {
    ForCur: optional(Type.String({ pattern: '^[A-Z]{3}$' })),
    CntCode: optional(Type.String({ pattern: '^[A-Z]{2}$' })),
  },
  exactly,
)

export const EInvoicePayload = Type.Object(
  {
    Version: Type.Literal('1.1'),
    TranDtls,
    DocDtls,
    SellerDtls,
    BuyerDtls,
    DispDtls: optional(DispDtls),
    ShipDtls: optional(ShipDtls),
    ItemList: Type.Array(Item, { minItems: 1, maxItems: 1_000 }),
    ValDtls,
    PayDtls: optional(PayDtls),
    RefDtls: optional(RefDtls),
    ExpDtls: optional(ExpDtls),
  },
  exactly,
)
export type EInvoicePayload = Static<typeof EInvoicePayload>
export type EInvoiceItem = Static<typeof Item>
