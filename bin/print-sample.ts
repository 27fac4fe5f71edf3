// `npm run print-sample -- TEMPLATE SAMPLE FILE`: fills a template with a sample, so that a designer sees it printed.
import { readFile, writeFile } from 'node:fs/promises'
import { type PrintedDocument, TEMPLATE_NAMES } from '../domain/print/printed-document.ts'
import { MergeFailed, merge } from '../gateways/pdf/merge.ts'
import { drawnCode } from '../reports/print/codes.ts'
import { argumentsOf } from './options.ts'

const USAGE = `Usage: npm run print-sample -- TEMPLATE SAMPLE FILE [--logo PICTURE]
TEMPLATE is one of ${TEMPLATE_NAMES.join(', ')}; SAMPLE is a file of templates/samples/ without .json;
FILE is what is written, a flat OpenDocument that LibreOffice opens and converts.`

const { positionals, values } = argumentsOf({ logo: { type: 'string' } }, USAGE)
const [name, sample, file] = positionals
const template = TEMPLATE_NAMES.find((one) => one === name)
if (!template || !sample || !file) {
  console.error(USAGE)
  process.exit(2)
}

try {
  const text = await readFile(new URL(`../templates/samples/${sample}.json`, import.meta.url), 'utf8')
  const data = JSON.parse(text) as PrintedDocument
  const pictures = {
    ...(values.logo && { logo: await readFile(values.logo) }),
    // As dense as a signed one, which holds a token of about 1,000 characters.
    ...(data.irn && { 'signed-qr': drawnCode('signed-qr', data.irn.repeat(15)) }),
    ...(data.upi_id && { 'upi-qr': drawnCode('upi-qr', `upi://pay?pa=${data.upi_id}&tn=${data.number}`) }),
  }
  await writeFile(file, await merge(template, data, pictures))
} catch (error) {
  const isOfFile = ['open', 'read'].includes((error as NodeJS.ErrnoException).syscall ?? '')
  if (!(error instanceof MergeFailed) && !isOfFile) throw error
  console.error((error as Error).message)
  process.exitCode = 1
}
