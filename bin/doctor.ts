// `npm run doctor [-- --json]`: names what is stuck, and the command that mends it. Exits with 1 where anything is stuck.
import type { Finding } from '../audit/stuck/check.ts'
import { examine } from './doctor/examine.ts'
import { onOneLine } from './one-line.ts'
import { operatorSettings } from './operator-settings.ts'
import { optionsOf } from './options.ts'

const values = optionsOf({ json: { type: 'boolean', default: false } }, 'Usage: npm run doctor [-- --json]')

const LABELS = { stuck: 'STUCK ', starting: 'starting', notice: 'notice' }

const findings = await examine(operatorSettings(), new Date())
const whileStarting = findings.some(({ severity }) => severity === 'starting')
  ? ['The service has just started. What is `starting` goes on by itself within five minutes; ask again then.']
  : []
const isStuck = findings.some(({ severity }) => severity === 'stuck')
if (values.json) console.log(JSON.stringify({ stuck: isStuck, findings }, null, 2))
else console.log(findings.length === 0 ? 'Nothing is stuck.' : [...findings.map(textOf), ...whileStarting].join('\n\n'))
process.exitCode = isStuck ? 1 : 0

function textOf({ check, severity, problem, mend, note }: Finding): string {
  const of = `${LABELS[severity]}  ${check}`
  const advice = `${of}: ${onOneLine(problem)}\n        > ${onOneLine(mend)}`
  return note ? `${advice}\n          ${onOneLine(note)}` : advice
}
