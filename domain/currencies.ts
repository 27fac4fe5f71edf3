// The currencies of ISO 4217 that are in use, with the digits of their minor unit.

export interface Currency {
  code: string
  name: string
  symbol: string
  minorDigits: number
}

// One row for each currency: code, minor digits, symbol, name. Funds codes, metals and test codes are left out, because
// invoices are not written in them.
const ROWS = `
AED 2 AED UAE Dirham
AFN 2 ؋ Afghani
ALL 2 L Lek
AMD 2 ֏ Armenian Dram
AOA 2 Kz Kwanza
ARS 2 AR$ Argentine Peso
AUD 2 A$ Australian Dollar
AWG 2 ƒ Aruban Florin
AZN 2 ₼ Azerbaijan Manat
BAM 2 KM Convertible Mark
BBD 2 Bds$ Barbados Dollar
BDT 2 ৳ Taka
BHD 3 BHD Bahraini Dinar
BIF 0 FBu Burundi Franc
BMD 2 BD$ Bermudian Dollar
BND 2 B$ Brunei Dollar
BOB 2 Bs Boliviano
BRL 2 R$ Brazilian Real
BSD 2 B$ Bahamian Dollar
BTN 2 Nu. Ngultrum
BWP 2 P Pula
BYN 2 Br Belarusian Ruble
BZD 2 BZ$ Belize Dollar
CAD 2 CA$ Canadian Dollar
CDF 2 FC Congolese Franc
CHF 2 CHF Swiss Franc
CLP 0 CLP$ Chilean Peso
CNY 2 CN¥ Yuan Renminbi
COP 2 CO$ Colombian Peso
CRC 2 ₡ Costa Rican Colon
CUP 2 CU$ Cuban Peso
CVE 2 Esc Cabo Verde Escudo
CZK 2 Kč Czech Koruna
DJF 0 Fdj Djibouti Franc
DKK 2 kr Danish Krone
DOP 2 RD$ Dominican Peso
DZD 2 DA Algerian Dinar
EGP 2 E£ Egyptian Pound
ERN 2 Nfk Nakfa
ETB 2 Br Ethiopian Birr
EUR 2 € Euro
FJD 2 FJ$ Fiji Dollar
FKP 2 FK£ Falkland Islands Pound
GBP 2 £ Pound Sterling
GEL 2 ₾ Lari
GHS 2 GH₵ Ghana Cedi
GIP 2 GI£ Gibraltar Pound
GMD 2 D Dalasi
GNF 0 FG Guinean Franc
GTQ 2 Q Quetzal
GYD 2 GY$ Guyana Dollar
HKD 2 HK$ Hong Kong Dollar
HNL 2 L Lempira
HTG 2 G Gourde
HUF 2 Ft Forint
IDR 2 Rp Rupiah
ILS 2 ₪ New Israeli Sheqel
INR 2 ₹ Indian Rupee
IQD 3 IQD Iraqi Dinar
IRR 2 IRR Iranian Rial
ISK 0 kr Iceland Krona
JMD 2 J$ Jamaican Dollar
JOD 3 JOD Jordanian Dinar
JPY 0 ¥ Yen
KES 2 KSh Kenyan Shilling
KGS 2 som Som
KHR 2 ៛ Riel
KMF 0 CF Comorian Franc
KPW 2 ₩ North Korean Won
KRW 0 ₩ Won
KWD 3 KWD Kuwaiti Dinar
KYD 2 CI$ Cayman Islands Dollar
KZT 2 ₸ Tenge
LAK 2 ₭ Lao Kip
LBP 2 LBP Lebanese Pound
LKR 2 Rs Sri Lanka Rupee
LRD 2 L$ Liberian Dollar
LSL 2 L Loti
LYD 3 LYD Libyan Dinar
MAD 2 DH Moroccan Dirham
MDL 2 L Moldovan Leu
MGA 2 Ar Malagasy Ariary
MKD 2 den Denar
MMK 2 K Kyat
MNT 2 ₮ Tugrik
MOP 2 MOP$ Pataca
MRU 2 UM Ouguiya
MUR 2 Rs Mauritius Rupee
MVR 2 Rf Rufiyaa
MWK 2 MK Malawi Kwacha
MXN 2 MX$ Mexican Peso
MYR 2 RM Malaysian Ringgit
MZN 2 MT Mozambique Metical
NAD 2 N$ Namibia Dollar
NGN 2 ₦ Naira
NIO 2 C$ Cordoba Oro
NOK 2 kr Norwegian Krone
NPR 2 Rs Nepalese Rupee
NZD 2 NZ$ New Zealand Dollar
OMR 3 OMR Rial Omani
PAB 2 B/. Balboa
PEN 2 S/ Sol
PGK 2 K Kina
PHP 2 ₱ Philippine Peso
PKR 2 Rs Pakistan Rupee
PLN 2 zł Zloty
PYG 0 ₲ Guarani
QAR 2 QAR Qatari Rial
RON 2 lei Romanian Leu
RSD 2 din Serbian Dinar
RUB 2 ₽ Russian Ruble
RWF 0 RF Rwanda Franc
SAR 2 SAR Saudi Riyal
SBD 2 SI$ Solomon Islands Dollar
SCR 2 Rs Seychelles Rupee
SDG 2 SDG Sudanese Pound
SEK 2 kr Swedish Krona
SGD 2 S$ Singapore Dollar
SHP 2 SH£ Saint Helena Pound
SLE 2 Le Leone
SOS 2 Sh Somali Shilling
SRD 2 SR$ Surinam Dollar
SSP 2 SS£ South Sudanese Pound
STN 2 Db Dobra
SVC 2 ₡ El Salvador Colon
SYP 2 SYP Syrian Pound
SZL 2 E Lilangeni
THB 2 ฿ Baht
TJS 2 SM Somoni
TMT 2 m Turkmenistan New Manat
TND 3 TND Tunisian Dinar
TOP 2 T$ Pa’anga
TRY 2 ₺ Turkish Lira
TTD 2 TT$ Trinidad and Tobago Dollar
TWD 2 NT$ New Taiwan Dollar
TZS 2 TSh Tanzanian Shilling
UAH 2 ₴ Hryvnia
UGX 0 USh Uganda Shilling
USD 2 $ US Dollar
UYU 2 $U Peso Uruguayo
UYW 4 UYW Unidad Previsional
UZS 2 soʻm Uzbekistan Sum
VED 2 Bs.D Bolívar Digital
VES 2 Bs.S Bolívar Soberano
VND 0 ₫ Dong
VUV 0 VT Vatu
WST 2 WS$ Tala
XAF 0 FCFA CFA Franc BEAC
XCD 2 EC$ East Caribbean Dollar
XCG 2 Cg Caribbean Guilder
XOF 0 CFA CFA Franc BCEAO
XPF 0 F CFP Franc
YER 2 YER Yemeni Rial
ZAR 2 R Rand
ZMW 2 ZK Zambian Kwacha
ZWG 2 ZiG Zimbabwe Gold
`

export const CURRENCIES: readonly Currency[] = ROWS.trim()
  .split('\n')
  .map((row) => {
    const [code = '', digits = '', symbol = '', ...name] = row.split(' ')
    return { code, name: name.join(' '), symbol, minorDigits: Number(digits) }
  })

const BY_CODE: ReadonlyMap<string, Currency> = new Map(CURRENCIES.map((currency) => [currency.code, currency]))

/** The currency of an ISO 4217 code (upper case), or null. */
export function findCurrency(code: string): Currency | null {
  return BY_CODE.get(code) ?? null
}

export function isCurrency(code: string): boolean {
  return BY_CODE.has(code)
}

/** The currencies of a new organisation (decisions §2): INR and those in which India trades most. */
export const COMMON_CURRENCIES: readonly Currency[] = [
  'INR',
  'USD',
  'EUR',
  'GBP',
  'AED',
  'SGD',
  'AUD',
  'CAD',
  'JPY',
  'CNY',
  'CHF',
  'HKD',
  'SAR',
  'QAR',
  'KWD',
  'OMR',
  'BHD',
  'MYR',
  'THB',
  'NZD',
  'ZAR',
  'LKR',
  'NPR',
  'BDT',
].map((code) => {
  const currency = BY_CODE.get(code)
  if (!currency) throw new Error(`the table of currencies lacks ${code}`)
  return currency
})
