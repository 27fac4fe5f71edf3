// Every command of docs/operating.md and docs/running.md runs as it is printed, and shows what the text says that it shows.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { until } from '../start/local-run.ts'
import { workflowBundle } from '../workflows/bundle.ts'
import type { Finding } from '../../audit/stuck/check.ts'
import { fencesOf, textOf } from '../docs/examples.ts'
import { commandsInSentences, commandsOf, type Command } from './runbook-commands.ts'
import { keyOf, openMachine, type Machine } from './runbook-machine.ts'
import { openScene, SETTINGS, type Places, type Scene } from './runbook-scene.ts'
import { ADVISED, EXIT_CODES, IN_SENTENCES, NOT_RUN, promiseOf, SECTIONS_NOT_RUN, SHOWN_BLOCKS, STARTED, valuesIn } from './runbook-promises.ts'

jest.setTimeout(180_000)

let machine: Machine
let scene: Scene
beforeAll(async () => {
  // Bundling the workflows is of the start, which test/start has; here every start and every worker would repeat it.
  machine = await openMachine({ ...SETTINGS, WORKFLOW_BUNDLE: await workflowBundle() })
  await machine.start('npm start', /Bahi is ready after/)
  scene = await openScene(machine.folder)
  scene.places.time = '2026-01-01T00:00:00Z'
  const key = keyOf(machine)
  Object.assign(scene.places, { 'time of the upgrade': new Date(Date.now() + 86_400_000).toISOString(), key, 'earlier key': randomBytes(32).toString('base64'), new: randomBytes(32).toString('base64') })
}, 240_000)
afterAll(async () => {
  await scene?.close()
  await machine?.close()
})

test('what the doctor advises runs as it is printed', async () => {
  await machine.run('npm run temporal -- schedule toggle --schedule-id reconcile-schedules --pause --reason test')
  let advice: { check: string; command: string }[] = []
  // A mail is being tried now and then, and waits in between.
  await until(async () => {
    await scene.standStill()
    const { output } = await machine.run('npm run doctor -- --json')
    const { findings } = JSON.parse(output.slice(output.indexOf('{\n'))) as { findings: Finding[] }
    advice = findings.flatMap(({ check, mend, note = '' }) => [mend, note].flatMap((words) => /npm run .*$/.exec(words)?.map((command) => ({ check, command })) ?? []))
    return advice.some(({ check }) => check === 'mails that wait')
  }, 90_000, () => 'no mail waits')
  // Where the machine is slow, the server has reported the workflow that nobody can read by now.
  expect([...new Set(advice.map(({ check }) => check))].filter((check) => check !== 'workflows').sort()).toEqual(ADVISED)
  // One of a kind: a check may have found several.
  for (const { command } of new Map(advice.map((one) => [`${one.check} ${one.command.slice(0, 40)}`, one])).values()) await check(command, /$/, [0])
})

const DOCUMENTS = ['docs/operating.md', 'docs/running.md']

describe.each(DOCUMENTS)('%s', (document) => {
  const inBlocks = commandsOf(document).filter(({ section }) => !(section in SECTIONS_NOT_RUN))
  test.each(inBlocks.map((command) => [`line ${command.line}: ${command.text.split('\n')[0]}`, command] as const))('%s', async (_name, command) => {
    if (command.section === 'Retrying one now') scene.mendReceivers()
    if (command.text.startsWith('rm -r .data/temporal')) await backUp()
    if (command.section === 'A restored backup' && command.text.startsWith('npm start')) await restore()
    await check(spelled(command.text, { ...scene.places, ...valuesIn(command, scene.places) }), promiseOf(command), EXIT_CODES(command))
    await outcome(command)
  })

  test.each(commandsInSentences(document).filter((text) => text in IN_SENTENCES).map((text) => [text]))('%s', async (text) => {
    if (text.includes('4711')) scene.places.pid = await scene.forget()
    await check(spelled(text, scene.places), IN_SENTENCES[text]!, [0])
  })
})

test('no block and no command is left out', () => {
  const blocks = DOCUMENTS.flatMap((document) => fencesOf(document).map(({ info }) => [document, info[0]!]))
  expect(blocks.filter(([, kind]) => kind !== 'sh')).toEqual(SHOWN_BLOCKS)
  const marks = DOCUMENTS.map((document) => textOf(document).match(/^```/gm)?.length ?? 0)
  expect(marks.reduce((sum, count) => sum + count)).toBe(2 * blocks.length)
  const said = DOCUMENTS.flatMap(commandsInSentences).filter((text) => !/^npm (start|ci|run [a-z-]*)$|^npm run$/.test(text))
  expect([...new Set(said)].sort()).toEqual([...Object.keys(IN_SENTENCES), ...Object.keys(NOT_RUN)].sort())
  const sections = DOCUMENTS.flatMap(commandsOf).map(({ section }) => section)
  expect(Object.keys(SECTIONS_NOT_RUN).filter((section) => !sections.includes(section))).toEqual([])
})

// What Temporal lists and what a worker does is there a moment later, so what only shows may be repeated; a zone has its schedule
// within a minute.
const REPEATED = /workflow (list|query|metadata|show)|^npm run temporal -- schedule list|SELECT (?!pg_)|npm run doctor/

/** Runs a command line to its end, or until it says that it works. */
async function check(line: string, promise: RegExp, codes: number[]): Promise<void> {
  const started = STARTED.find(({ matches }) => matches.test(line))
  if (started) {
    expect(await machine.start(line, started.said)).toMatch(promise)
    return
  }
  const latest = Date.now() + (REPEATED.test(line) ? 90_000 : 0)
  for (;;) {
    const { code, output } = await machine.run(line)
    if (codes.includes(code!) && promise.test(output)) return
    if (Date.now() > latest) throw new Error(`${line}\nended with ${code}, and shows:\n${output}\nwhich is not ${promise}`)
    // A command is a second of the processor, which what it waits for needs.
    await delay(1_000)
  }
}

function spelled(text: string, places: Places): string {
  const service = `DATABASE_URL=${places.database_url} TEMPORAL_ADDRESS=${places.temporal_address} ENCRYPTION_KEY=${places.key} npm run worker`
  // The run goes on with the key that it has.
  return text.replaceAll('<new>,<old>', `${places.key},${places.new}`).replaceAll('8234', machine.codecPort).replaceAll('4711', places.pid ?? '').replaceAll('-- FILE', '-- workflows.js')
    .replaceAll('npm run worker', service).replaceAll('ENCRYPTION_KEY=... ', `ENCRYPTION_KEY=${places.key} `)
    .replaceAll(/<([a-z_ ]+)>/g, (_all, name: string) => {
      if (places[name] === undefined) throw new Error(`nothing stands for <${name}>`)
      return places[name]
    })
}

/** Stops the local run, and copies the folder of its database. */
async function backUp(): Promise<void> {
  await machine.interrupt()
  execFileSync('cp', ['-a', '.data/postgres', 'postgres-of-before'], { cwd: machine.folder })
}

/** Stops it, and puts the copy in the place of the folder. */
async function restore(): Promise<void> {
  await machine.interrupt()
  execFileSync('bash', ['-c', 'rm -r .data/postgres && mv postgres-of-before .data/postgres'], { cwd: machine.folder })
}

/** What the command has brought about. */
async function outcome({ section, text }: Command): Promise<void> {
  const { places, sql } = scene
  const become = (column: string, id: string, wanted: string) => until(
    async () => (await sql(`SELECT FROM webhook_deliveries WHERE ${column} = $1 AND status <> $2`, id, wanted)).length === 0, 90_000, () => `${id} is not ${wanted}`)
  if (text.includes('--name retryNow --reason')) await become('endpoint_id', places.endpoint_id!, 'DELIVERED')
  else if (section === 'Retrying one now') await become('id', places.delivery_id!, 'DELIVERED')
  if (section === 'Abandoning a delivery') await become('id', places.other_delivery_id!, 'FAILED')
}
