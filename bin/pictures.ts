// Takes the pictures of docs/operating.md from Temporal's UI of a local run: `npm run pictures -- [chromium]`, beside npm start.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDemoCard } from './services/demo-card.ts'
import { readLocalRun } from '../settings.ts'
import { openBrowser, type Browser } from './pictures/browser.ts'
import { setScene } from './pictures/scene.ts'

const [chromium = '/usr/bin/chromium'] = process.argv.slice(2)
const card = readDemoCard(readLocalRun().dataDir)
if (!card?.temporal_ui_url) throw new Error('There is no local run with a UI.\n  Remedy: npm start')

/** The views of docs/operating.md, as they are saved in the UI. */
const VIEWS = {
  'Deliveries in trouble': `WorkflowType="webhookDelivery" AND ExecutionStatus="Running"`,
  'Failed deliveries': `WorkflowType="webhookDelivery" AND SvcState="FAILED"`,
  'Recurring schedules': `WorkflowType="recurringSchedule" AND ExecutionStatus="Running"`,
  'Bulks under way': `WorkflowType="bulkCreate" AND ExecutionStatus="Running"`,
  'Refused conversions': `WorkflowType="convertDocument" AND SvcState="REFUSED"`,
}
const COLUMNS = ['Status', 'Type', 'SvcEntityType', 'SvcState', 'SvcAttempt', 'SvcNextAt']

const scene = await setScene(card)
const browser = await openBrowser(chromium)
const workflows = `${card.temporal_ui_url}/namespaces/default/workflows`

async function keep(name: string, height: number): Promise<void> {
  const picture = await browser.picture(height)
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'images', `${name}.png`), picture)
  console.log(`${name}.png ${Math.ceil(picture.length / 1024)} kB`)
}

/** A tab of a workflow's page, once it shows this text. */
async function show(page: Browser, workflowId: string, tab: string, text: string): Promise<void> {
  await page.open(`${workflows}/${encodeURIComponent(workflowId)}`)
  await page.until(`/workflows\\/[^/]+\\/[^/]+\\/\\w+/.test(location.href)`)
  const run = await page.evaluate<string>(`location.href.replace(/[^/]*$/, '')`)
  await page.open(run + tab)
  await page.until(`document.body.innerText.includes(${JSON.stringify(text)})`)
}

try {
  await browser.open(workflows)
  await browser.until(`document.body.innerText.includes('Saved Views')`)
  const saved = Object.entries(VIEWS).map(([name, query], place) => ({ id: String(place), name, query, type: 'user' }))
  const stored = {
    'saved-workflow-queries': { default: saved },
    'namespace-workflow-table-columns': { default: COLUMNS.map((label) => ({ label })) },
  }
  for (const [key, value] of Object.entries(stored)) {
    await browser.evaluate(`localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(JSON.stringify(value))})`)
  }
  await browser.open(`${workflows}?query=${encodeURIComponent(`SvcOrgId="${scene.orgId}"`)}`)
  await browser.until(`document.body.innerText.includes('RETRYING') && document.body.innerText.includes('COMPLETED')`)
  await keep('workflows', 800)
  for (const name of ['delivery', 'schedule', 'bulk', 'conversion'] as const) {
    await show(browser, scene[name], 'timeline', 'Input')
    await keep(name, 1000)
  }
  // What the tab shows is drawn in frames of their own.
  await show(browser, scene.delivery, 'user-metadata', 'Current Details')
  await keep('delivery-details', 640)
} finally {
  await browser.close()
}
