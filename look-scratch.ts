import { readFileSync, writeFileSync } from 'node:fs'
import { merge } from './gateways/pdf/merge.ts'
const [template, sample] = process.argv.slice(2) as [never, string]
writeFileSync(`/tmp/w/print-look/${template}_${sample}.fodt`, await merge(template, JSON.parse(readFileSync(`templates/samples/${sample}.json`, 'utf8')), {}))
process.exit(0)
