// Every command of README and of the documents beside the runbooks runs as it is printed, on the service of a reader.
// Calls by curl are those of examples.test.ts; test/operations/runbooks.test.ts has docs/operating.md and docs/running.md.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as streamText } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { irpCredentials } from '../fixtures/irp-credentials.ts'
import { dataUrl, png } from '../fixtures/pictures.ts'
import { addPerson, givePassword, PASSWORD, signIn } from '../fixtures/persons.ts'
import { registerApp } from '../fixtures/oauth.ts'
import { useService } from '../fixtures/use-service.ts'
import { commandsInSentences, commandsOf } from '../operations/runbook-commands.ts'
import { fencesOf, ROOT } from './examples.ts'

const RUNBOOKS = ['operating.md', 'running.md']
const DOCUMENTS = ['README.md', 'SECURITY.md', ...readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && !RUNBOOKS.includes(name)).map((name) => `docs/${name}`)]

/** What does not run here, and why. */
const NOT_RUN: Record<string, string> = {
  'npm start': 'test/operations/runbooks.test.ts and test/start run it',
  'npm test': 'runs this test',
  'npm test -- --quick': 'a part of this run',
  'npm test -- test/domain': 'a part of this run',
  'npm run dev': 'test/start runs it',
  'npm run lint': 'npm test runs it',
  'docker compose up --build': 'needs Docker',
  'npm run bench -- --only processes --quick': 'a measurement',
  'npm run bench -- --only invoices': 'a measurement',
  'npm run bench -- --only growth --quick': 'a measurement',
  'npx node test/domain/print/samples.ts': 'writes the samples in the checkout',
  'npm run token -- --user EMAIL': 'a mention of an option',
  'WEBHOOK_SECRET=svc_whsec_... node docs/examples/receiver.mjs': 'test/docs/receiver.test.ts runs it',
  'hledger register tag:source=PAYMENT': 'needs hledger; test/reports asks it where it is installed',
}

const service = await useService()
const folder = mkdtempSync(join(tmpdir(), 'bahi-reader-'))
afterAll(() => rmSync(folder, { recursive: true }))

const OWNER = 'owner@saraswati.example'
let words: Record<string, string>
beforeAll(async () => {
  const org = await service.organization({ name: 'Saraswati Stationers' })
  await addPerson(service, org.orgId, 'OWNER', OWNER)
  await givePassword(service, org.orgId, OWNER)
  const [branch] = (await org.get('/branches')).body.branches
  words = { ORG_ID: org.orgId, BRANCH_ID: branch.branch_id, BASE_URL: `${service.origin}/api/public/v1`, TOKEN: org.token, CLIENT_ID: (await registerApp(service)).client_id }
  for (const name of readdirSync(ROOT)) if (!name.startsWith('.')) symlinkSync(join(ROOT, name), join(folder, name))
  mkdirSync(join(folder, '.data'))
  const card = { base_url: words.BASE_URL, token: org.token, user: { email: OWNER, password: PASSWORD } }
  const [preferences] = fencesOf('docs/preferences.md').filter(({ info }) => info[0] === 'json')
  for (const [name, content] of [
    ['.data/demo.json', JSON.stringify(card)],
    ['password', 'peacock on the roof\nanother line\n'],
    ['irp.json', irpCredentials()],
    ['preferences.json', preferences!.text.replace('data:image/png;base64,...', dataUrl(png(3, 2)))],
  ] as const) writeFileSync(join(folder, name), content)
})

interface Ran {
  code: number | null
  said: string
}

/** As a reader types it, who has only this checkout; what stands in brackets is left out, and then given too. */
function run(text: string): Promise<Ran[]> {
  const line = text.replaceAll('--org ID', `--org ${words.ORG_ID}`).replace('--user EMAIL', `--user ${OWNER}`).replace('--name NAME', '--name Asha').replace('a,b', 'Svc.invoices.READ')
  const lines = new Set(line.startsWith('npm ') ? [line.replaceAll(/ \[[^\]]*\]/g, ''), line.replaceAll(/[[\]]/g, '')] : [line])
  return Promise.all([...lines].map(typed))
}

function typed(line: string): Promise<Ran> {
  const env = { ...process.env, ...service.env, DATABASE_URL: service.databaseUrl, ...words, npm_config_update_notifier: 'false' }
  // What is exported is for the reader's next command.
  const shown = [...line.matchAll(/export (\w+)=/g)].map(([, name]) => `echo "${name}=$${name}"`)
  const child = spawn('bash', ['-o', 'pipefail', '-c', [line, ...shown].join('\n')], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  return Promise.all([streamText(child.stdout), streamText(child.stderr), new Promise<number | null>((resolve) => child.once('exit', resolve))])
    .then(([said, complained, code]) => ({ code, said: said + complained }))
}

// A part of a command, and what it shows.
const PROMISES: [part: string, shown: RegExp][] = [
  ['export BASE_URL', /^BASE_URL=http:\/\/127\.0\.0\.1:\d+\/api\/public\/v1$/m],
  ['export TOKEN', /^TOKEN=svc_pat_/m],
  ['export CONTACT_ID', /^CONTACT_ID=\.\.\.$/m],
  ['export TAX_ID', /^TAX_ID=[0-9a-f-]{36}$/m],
  ['export ORIGIN', /^ORIGIN=http:\/\/127\.0\.0\.1:\d+$/m],
  ['export EMAIL', /^EMAIL=owner@saraswati\.example$/m],
  ['printf', /^$/],
  ['npm run migrate', /The schema is up to date\./],
  ['oauth-client -- --name', /^{"client_id":"[0-9a-f-]{36}","client_secret":"svc_ocs_[\w-]{43}"}$/m],
  ['oauth-client -- list', / {2}Ledger Sync, registered by the operator, confidential, https:/],
  ['oauth-client -- revoke', / is revoked since 20.*Z\./],
  ['npm run partner-key', /^svc_prt_\S{43}$/m],
  ['npm run token', /^svc_pat_\S{43}$/m],
  ['--hledger', /^; |account|^\d{4}/m],
  ['npm run audit', /The books are in order\./],
  ['--provider sandbox', /sandbox/],
  ['--provider irp', /irp/],
  ['< password', /The password is set, and every session of the user has ended\./],
  ['npm run password', /^[\w-]{20}$/m],
  ['--file preferences.json', /"invoiceTemplate": "modern"/],
  ['npm run preferences', /"invoiceTemplate": "(classic|modern)"/],
]

const blocks = DOCUMENTS.flatMap(commandsOf).filter(({ text }) => !text.startsWith('curl '))

test.each(DOCUMENTS.filter((document) => blocks.some((command) => command.document === document)))('%s', async (document) => {
  const wrong: unknown[] = []
  for (const { text, line } of blocks.filter((command) => command.document === document)) {
    if (text.replace(/\s+#.*$/, '') in NOT_RUN) continue
    const promise = PROMISES.find(([part]) => text.includes(part))
    if (!promise) throw new Error(`nothing says what this shows: ${text}`)
    for (const { code, said } of await run(text)) if (code !== 0 || !promise[1].test(said)) wrong.push({ line, text, code, said })
  }
  expect(wrong).toEqual([])
})

test('the password that a file has set is the one to sign in with', async () => {
  await run(`npm run password -- --org ID --user EMAIL < password`)
  await expect(signIn(service, OWNER, 'peacock on the roof')).resolves.toMatchObject({ email: OWNER })
})

test('no command is left out', () => {
  const printed = blocks.map(({ text }) => text.replace(/\s+#.*$/, ''))
  const said = DOCUMENTS.flatMap(commandsInSentences).filter((text) => !/^npm (ci|run [a-z-]*)$/.test(text))
  expect([...new Set(said)].filter((text) => !printed.includes(text)).sort()).toEqual(Object.keys(NOT_RUN).filter((text) => said.includes(text) && !printed.includes(text)).sort())
  expect(Object.keys(NOT_RUN).filter((text) => !said.includes(text) && !printed.includes(text))).toEqual([])
})
