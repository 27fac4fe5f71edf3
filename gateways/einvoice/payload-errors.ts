// What is wrong with an e-invoice before it is sent: its shape, and the rules by which the portals check it.
import { Compile } from 'typebox/compile'
import { errorOf, type EInvoiceError } from '../../domain/e-invoice/error-codes.ts'
import { EInvoicePayload, type EInvoiceItem } from '../../domain/e-invoice/payload-shape.ts'
import { isZeroRated } from '../../domain/e-invoice/supply.ts'

const checked = Compile(EInvoicePayload)

/** The portals allow amounts to differ by one rupee. */
const TOLERANCE = 1
const MOST = 20

/** The reasons why the payload would be refused, at most twenty; none for a good one. */
export function payloadErrors(payload: unknown): EInvoiceError[] {
  if (checked.Check(payload)) return brokenRules(payload).slice(0, MOST)
  const found = new Map<string, EInvoiceError>()
  for (const { instancePath, message, keyword, params } of checked.Errors(payload)) {
    const missing =
      keyword === 'required' ? ((params as { requiredProperties?: string[] }).requiredProperties?.[0] ?? '') : ''
    const path = [...instancePath.split('/').slice(1), ...(missing ? [missing] : [])]
    const field = path.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part)).join('.')
    if (!found.has(field))
      found.set(field, { code: 'PAYLOAD', message: adviceFor(path) ?? `${field}: ${message}.`, field })
    if (found.size === MOST) break
  }
  return [...found.values()]
}

const ADVICE: Record<string, string> = {
  'DocDtls.No':
    'A number may have at most 16 letters, digits, / and -, and must not begin with 0, / or - (rule 46(b) of the CGST Rules).',
  'DocDtls.Dt': 'The date is before the year 2000 or after 2099.',
  'SellerDtls.Gstin': 'The branch has no GSTIN.',
  'SellerDtls.LglNm': "The organisation's legal name needs at least three characters.",
  'SellerDtls.Addr1': 'The address of the branch, or of the organisation, is missing.',
  'SellerDtls.Loc':
    'The branch, or the address of the branch or the organisation, needs a city of at least three characters.',
  'SellerDtls.Pin':
    'The address of the branch, or of the organisation, needs a PIN code of six digits, in the field `zip`.',
  'BuyerDtls.LglNm': "The customer's legal name, or name, needs at least three characters.",
  'BuyerDtls.Addr1': "The customer's billing address is missing.",
  'BuyerDtls.Loc': "The customer's billing address needs a city of at least three characters.",
  'BuyerDtls.Pin': "The customer's billing address needs a PIN code of six digits, in the field `zip`.",
  'ItemList.HsnCd': 'needs an HSN or SAC code of four, six or eight digits.',
  ItemList: 'An e-invoice has at most 1,000 lines.',
  'RefDtls.PrecDocDtls.InvNo': 'The number of the invoice that is credited is not one that e-invoices take.',
}

function adviceFor(path: string[]): string | null {
  const advice = ADVICE[path.filter((part) => !/^\d+$/.test(part)).join('.')]
  if (!advice) return null
  return path[0] === 'ItemList' && path.length > 1 ? `Line ${Number(path[1]) + 1} ${advice}` : advice
}

// Of the portals' rules, those about which documents of ours can be wrong.
function brokenRules({ TranDtls, SellerDtls, BuyerDtls, ItemList, ValDtls }: EInvoicePayload): EInvoiceError[] {
  const intraState = !isZeroRated(TranDtls.SupTyp) && SellerDtls.Stcd === BuyerDtls.Pos
  const isAbroad = TranDtls.SupTyp.startsWith('EXP')
  const broken: EInvoiceError[] = []
  const refuse = (is: boolean, error: EInvoiceError) => void (is && broken.push(error))
  refuse(BuyerDtls.Gstin === SellerDtls.Gstin, errorOf('2211', '', 'BuyerDtls.Gstin'))
  refuse(!isAbroad && BuyerDtls.Gstin === 'URP', errorOf('2212', '', 'BuyerDtls.Gstin'))
  refuse(!isAbroad && BuyerDtls.Gstin !== 'URP' && !sameState(BuyerDtls), errorOf('2265', '', 'BuyerDtls.Stcd'))
  ItemList.forEach((item, index) => broken.push(...brokenByLine(item, index + 1, intraState, TranDtls.RegRev === 'Y')))
  refuse(
    differs(
      ValDtls.AssVal,
      total(ItemList, ({ AssAmt }) => AssAmt),
    ),
    errorOf('2182', '', 'ValDtls.AssVal'),
  )
  const items = total(ItemList, ({ TotItemVal }) => TotItemVal) + (ValDtls.RndOffAmt ?? 0)
  refuse(differs(ValDtls.TotInvVal, items), errorOf('2189', '', 'ValDtls.TotInvVal'))
  return broken
}

// 28 was the code of Andhra Pradesh before its division, and still begins GSTINs.
const sameState = ({ Gstin, Stcd }: EInvoicePayload['BuyerDtls']) =>
  Gstin.startsWith(Stcd) || (Gstin.startsWith('28') && Stcd === '37') || (Gstin.startsWith('25') && Stcd === '26')

function brokenByLine(item: EInvoiceItem, line: number, intraState: boolean, reverseCharge: boolean): EInvoiceError[] {
  const { IgstAmt: igst = 0, CgstAmt: cgst = 0, SgstAmt: sgst = 0, CesAmt: cess = 0 } = item
  const broken: EInvoiceError[] = []
  const at = (name: string) => `ItemList.${line}.${name}`
  if (intraState && igst > 0) broken.push(errorOf('2172', `line ${line}`, at('IgstAmt')))
  if (!intraState && cgst + sgst > 0) {
    const message = `Line ${line} charges CGST with SGST, where IGST is due: a supply to another state, abroad, or to a special economic zone.`
    broken.push({ code: 'PAYLOAD', message, field: at('CgstAmt') })
  }
  if (differs(item.AssAmt, item.TotAmt - (item.Discount ?? 0)))
    broken.push(errorOf('2193', `line ${line}`, at('AssAmt')))
  const charged = reverseCharge ? 0 : igst + cgst + sgst + cess
  if (differs(item.TotItemVal, item.AssAmt + charged)) {
    const message = reverseCharge
      ? `Line ${line} charges tax, and another line is under reverse charge: they need an invoice each.`
      : `The total of line ${line} is not its taxable value with its taxes.`
    broken.push({ code: 'PAYLOAD', message, field: at('TotItemVal') })
  }
  return broken
}

const total = (items: EInvoiceItem[], amount: (item: EInvoiceItem) => number) =>
  items.reduce((sum, item) => sum + amount(item), 0)
const differs = (one: number, other: number) => Math.abs(one - other) > TOLERANCE
