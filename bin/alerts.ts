// The alerts of docs/monitoring/alerts.yml with their runbooks, for the table in docs/operating.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Alert {
  name: string
  summary: string
  /** A document and its section, such as docs/running.md#migrations. */
  runbook: string
}

export function alerts(root: string): Alert[] {
  const rules = readFileSync(join(root, 'docs', 'monitoring', 'alerts.yml'), 'utf8')
    .split(/^ +- alert: /m)
    .slice(1)
  return rules.map((rule) => ({
    name: rule.slice(0, rule.indexOf('\n')),
    summary: fieldOf(rule, 'summary').replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, '`$1`'),
    runbook: fieldOf(rule, 'runbook'),
  }))
}

// The file is ours: a field is a line, perhaps in quotes.
function fieldOf(rule: string, name: string): string {
  const value = new RegExp(`^ +${name}: (.*)$`, 'm').exec(rule)?.[1] ?? ''
  return value.startsWith('"') ? (JSON.parse(value) as string) : value
}

/** Rows of: alert, what it means, and a link from docs/operating.md to its runbook. */
export function alertRows(root: string): string[][] {
  return alerts(root).map(({ name, summary, runbook }) => {
    const [document = '', anchor = ''] = runbook.split('#')
    const title = `${anchor[0]?.toUpperCase() ?? ''}${anchor.slice(1).replaceAll('-', ' ')}`
    const target = document === 'docs/operating.md' ? '' : document.replace('docs/', '')
    return [`\`${name}\``, summary, `[${title}](${target}#${anchor})`]
  })
}
