// What a printed document says: the contract between what is read from the books and the templates in templates/.
import { Type, type Static, type TProperties, type TSchema } from 'typebox'

/** The templates, without `.fodt`. Invoices have four. */
export const TEMPLATE_NAMES = [
  'invoice-classic',
  'invoice-modern',
  'invoice-boxed',
  'invoice-tally',
  'bill',
  'estimate',
  'credit-note',
  'debit-note',
  'purchase-order',
  'payment',
] as const
export type TemplateName = (typeof TEMPLATE_NAMES)[number]

/** The pictures that a template may have frames for, by the frame's name. */
export const PICTURE_NAMES = ['logo', 'signed-qr', 'upi-qr'] as const
export type PictureName = (typeof PICTURE_NAMES)[number]

// Every value is text as it is printed, and '' where there is nothing to print. So a template compares with '' and computes nothing.
const Text = (description: string) => Type.String({ description })
const Flag = (description: string) =>
  Type.Union([Type.Literal(''), Type.Literal('yes')], { description: `'yes' where ${description}, else ''.` })
const Group = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, { additionalProperties: false })
const List = <Item extends TSchema>(item: Item, description: string) => Type.Array(item, { description })

const Paragraphs = (description: string) => List(Group({ text: Text('One paragraph, or one line.') }), description)
const Pairs = (description: string) =>
  List(Group({ label: Text('What it is.'), value: Text('What is printed beside it.') }), description)

const Organization = Group({
  name: Text('The name that it trades by.'),
  legal_name: Text('The legal name, where it differs from `name`.'),
  address: Paragraphs('The lines of the address.'),
  gstin: Text("The GSTIN of the document's branch, else of the organisation; 'Unregistered' where there is none."),
  pan: Text('PAN.'),
  state: Text('Name and GST code of the state of the branch: `Karnataka (29)`.'),
  branch: Text('The name of the branch, where it is not the default one.'),
  phone: Text('Telephone.'),
  email: Text('Mail address.'),
})

const Party = Group({
  heading: Text('What the party is to the document: `Bill to`, `Ship to`, `Vendor`, `Received from`.'),
  name: Text('The name.'),
  address: Paragraphs('The lines of the address.'),
  gstin: Text("The GSTIN; 'Unregistered' where there is none; '' for who is abroad, and for an address."),
  pan: Text('PAN.'),
  state: Text("Name and GST code of the state: `Tamil Nadu (33)`; '' abroad, where the address has the country."),
  phone: Text('Telephone.'),
  email: Text('Mail address.'),
})

const Line = Group({
  no: Text('1, 2, 3.'),
  name: Text('The name of the item or service.'),
  description: Text('More about it; may have line breaks.'),
  hsn: Text('HSN or SAC.'),
  quantity: Text('The quantity, without needless zeros.'),
  unit: Text('The unit.'),
  rate: Text('The price of a quantity of 1, with at least the digits of the currency.'),
  discount: Text("The discount; '' where there is none."),
  taxable: Text('Quantity x rate less the discount: the value, be it taxed or not.'),
  tax_rate: Text("`18%`, `Exempt`, `Nil rated`, `Non-GST`, `18% RCM`; '' where the line has no tax."),
  cgst: Text("CGST; '' where there is none, as of the three below."),
  sgst: Text('SGST, or UTGST in a union territory without a legislature.'),
  igst: Text('IGST.'),
  cess: Text('Cess.'),
  tax: Text('All taxes of the line.'),
  total: Text('Taxable value and taxes.'),
})

const HsnRow = Group({
  hsn: Text("HSN or SAC; '-' for lines without."),
  rate: Text('As `tax_rate` of a line, with the cess: `28% + 12%`.'),
  taxable: Text("Taxable value; '' where the lines bear no tax."),
  untaxed: Text("The value of lines that are exempt, nil-rated, outside GST or without a tax; else ''."),
  cgst_rate: Text('`9%`.'),
  cgst: Text('CGST.'),
  sgst_rate: Text('`9%`.'),
  sgst: Text('SGST or UTGST.'),
  igst_rate: Text('`18%`.'),
  igst: Text('IGST.'),
  cess: Text('Cess.'),
  tax: Text('All taxes.'),
})

const HsnTotals = Group({
  taxable: Text('Taxable value.'),
  untaxed: Text("The value of what bears no tax; '' where everything does."),
  cgst: Text('CGST.'),
  sgst: Text('SGST or UTGST.'),
  igst: Text('IGST.'),
  cess: Text('Cess.'),
  tax: Text('All taxes.'),
})

const LineTotals = Group({
  taxable: Text('The value of the lines.'),
  cgst: Text("CGST; '' where there is none, as of the three below."),
  sgst: Text('SGST or UTGST.'),
  igst: Text('IGST.'),
  cess: Text('Cess.'),
  tax: Text('All taxes.'),
  total: Text('Values and taxes, before the round-off.'),
})

const Amount = Group({ label: Text('What it is.'), amount: Text('The amount, without the sign of the currency.') })
const Amounts = (description: string) => List(Amount, description)

const Allocation = Group({
  kind: Text('`Invoice` or `Bill`.'),
  number: Text('Its number.'),
  date: Text('Its date.'),
  total: Text('Its total.'),
  amount: Text('What the payment settles of it.'),
})

const Columns = Group({
  hsn: Flag('a line has an HSN or SAC'),
  unit: Flag('a line has a unit'),
  discount: Flag('a line has a discount'),
  cgst_sgst: Flag('CGST and SGST are charged'),
  igst: Flag('IGST is charged'),
  cess: Flag('cess is charged'),
  tax: Flag('a line has a tax, be it of 0 %'),
  untaxed: Flag('some lines bear tax and others none'),
})

/**
 * What is printed, for every kind. Blocks that a document does not have are empty: lists without entries, texts ''. A template
 * hides a block whose leading text is ''.
 */
export const PrintedDocument = Group({
  title: Text('`TAX INVOICE`, `BILL OF SUPPLY`, `CREDIT NOTE`.'),
  file_title: Text("The title of the file: the title, the number and the organisation's name."),
  language: Text('The language of the file by BCP 47: `en-IN`.'),
  watermark: Text("`DRAFT`, `CANCELLED` or `SPECIMEN`, else ''."),
  copy: Text("The marking of this copy, such as `ORIGINAL FOR RECIPIENT`; '' for kinds that have none."),
  copies: List(
    Group({ name: Text('The marking of a copy.'), mark: Text("'X' for this copy, else ''.") }),
    'All copies that the rules ask for, this one first (rule 48 of the CGST Rules).',
  ),
  endorsements: Paragraphs('What a rule asks to be written on the document, such as that of an export.'),
  notice: Text("What stops the document from being what its title says: `IRN awaited ...`; '' where nothing does."),

  number_label: Text('`Invoice no.`'),
  number: Text('The number of the document.'),
  date_label: Text('`Invoice date`.'),
  date: Text('The date.'),
  due_label: Text('`Due date`, `Valid until`, `Expected by`.'),
  due_date: Text("The date of `due_label`; '' where there is none."),
  place_of_supply: Text(
    "Name and GST code of the state; of payments on a receipt voucher, and where a bill is paid whose tax we owe; else ''.",
  ),
  reverse_charge: Text(
    "`Yes` or `No`: whether the recipient owes tax under reverse charge; '' for kinds without taxes.",
  ),
  details: Pairs('What else the head of the document says: reference, orders, the invoice that a note is against.'),

  organization: Organization,
  party: Party,
  ship_to: Party,

  columns: Columns,
  value_label: Text(
    "The head of the column `taxable`: `Taxable value`, or `Value of supply` where a line bears no tax; '' for payments.",
  ),
  sgst_label: Text('`SGST`, or `UTGST` in a union territory without a legislature.'),
  lines: List(Line, 'The lines in their order.'),
  line_totals: LineTotals,
  quantity_total: Text("The sum of the quantities, where all lines have one unit; else ''."),
  hsn_summary: List(HsnRow, 'By HSN or SAC and rate; empty where no line bears GST.'),
  hsn_totals: HsnTotals,
  totals: Amounts(
    'From the taxable value, the values that bear no tax, or the subtotal to the round-off; they add up to the total.',
  ),
  total_label: Text('`Total`.'),
  total: Text('The total with the sign of the currency: `₹ 1,18,000.00`.'),
  settled: Amounts('What has been paid or credited, and the balance; empty where nothing was.'),
  balance_due: Text("The balance with the sign of the currency; '' for kinds and states without one."),
  amount_in_words: Text('The total in words.'),
  tax_in_words: Text("The taxes in words; '' where none is charged."),
  reverse_charge_taxes: Amounts('What the recipient owes under reverse charge, by tax; not part of the total.'),
  currency: Text('The code of the currency: `INR`.'),
  base_amounts: Amounts("Rate and amounts in the organisation's currency, for a document in another currency."),

  allocations: List(Allocation, 'What a payment settles.'),

  irn: Text("The number of the e-invoice; '' where there is none."),
  ack_no: Text('Its acknowledgement.'),
  ack_date: Text('The date and time of the acknowledgement.'),
  irn_cancelled: Text("`This IRN is cancelled.`, where it is; the picture `signed-qr` is then left out. Else ''."),

  bank: Pairs("The organisation's bank details."),
  upi_id: Text("The address to pay to by UPI; '' where nothing is to be paid by it. The picture is `upi-qr`."),
  payment_link: Text("The address of a page to pay at; '' where there is none."),
  notes: Paragraphs('What the document itself says beside its lines.'),
  terms: Paragraphs("The organisation's terms."),
  footer: Text("The organisation's footer."),
  signatory_for: Text('`For` and the name of the organisation.'),
  signatory: Text('The name of the one who signs, with their designation.'),
  signatory_role: Text('`Authorised signatory`.'),
})
export type PrintedDocument = Static<typeof PrintedDocument>
