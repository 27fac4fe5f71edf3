// The compose file gives each container no more than it needs: ports, networks, passwords, rights, memory, settings.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { ROOT } from '../fixtures/root.ts'
import { commandsInSentences } from '../operations/runbook-commands.ts'
import { read } from './sources.ts'

interface Container {
  image?: string
  profiles?: string[]
  ports?: string[]
  networks?: string[]
  environment?: Record<string, string | null>
  cap_drop?: string[]
  security_opt?: string[]
  read_only?: boolean
  mem_limit?: string
  cpus?: string | number
  pids_limit?: number
  logging?: { options: Record<string, string> }
}

/** The text with the signs of variables, which the linter takes for a forgotten template. */
const of = (written: string) => written.replaceAll('{', '$' + '{')

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml')
  const { services, networks } = parse(text, { merge: true }) as {
    services: Record<string, Container>
    networks: Record<string, { internal?: boolean } | null>
  }
  const containers = Object.entries(services)
  const named = (wrong: (container: Container) => boolean) => containers.filter(([, container]) => wrong(container)).map(([name]) => name)

  test('publishes no port but that of the API, on loopback unless told; more with a profile, on loopback alone', () => {
    const published = containers.flatMap(([name, { ports = [], profiles = [] }]) => ports.map((port) => [name, profiles.join(), port]))
    expect(published).toEqual([
      ['azurite', 'trial', of('127.0.0.1:{AZURITE_PORT:-10000}:10000')],
      ['temporal-ui', 'operate', of('127.0.0.1:{TEMPORAL_UI_PORT:-8233}:8080')],
      ['codec', 'operate', of('127.0.0.1:{CODEC_PORT:-8234}:8234')],
      ['api', '', of('{PUBLISH_ADDRESS:-127.0.0.1}:{PORT:-8080}:8080')],
    ])
  })

  test('has no default password or key, and makes them by the lines of its beginning', () => {
    const secrets = [...text.matchAll(/\$\{(\w*(?:PASSWORD|KEY)\w*)([^}]*)\}/g)].map(([, name = '', rest = '']) => ({ name, rest }))
    expect(secrets.filter(({ rest }) => rest !== '' && !rest.startsWith(':?'))).toEqual([])
    const required = new Set(secrets.filter(({ rest }) => rest.startsWith(':?')).map(({ name }) => name))
    const made = text.split('\nname:')[0]!.match(/[A-Z][A-Z_]+_(?:PASSWORD|KEY)\b/g)
    expect(new Set(secrets.map(({ name }) => name))).toEqual(required)
    expect(new Set(made)).toEqual(required)
  })

  test('the lines of its beginning write a file that only its owner reads, with a value of each', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bahi-compose-'))
    try {
      const lines = text.split('\nname:')[0]!.match(/^# {3}.*$/gm)!.map((line) => line.slice(4))
      execFileSync('bash', ['-e', '-c', lines.join('\n')], { cwd: folder })
      const written = readFileSync(join(folder, '.env'), 'utf8')
      expect(written).toMatch(/^(?:\w+_PASSWORD=[0-9a-f]{48}\n){4}(?:\w+_KEY=[\w+/]{43}=\n){2}COMPOSE_PROFILES=trial\n$/)
      expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('has the services that commands of the documents name, and the image the programs', () => {
    const commands = ['README.md', 'docs/running.md'].flatMap(commandsInSentences).flatMap((line) => /^docker compose (.*)$/.exec(line)?.[1] ?? [])
    expect(commands.length).toBeGreaterThan(5)
    for (const command of commands) {
      const [verb, ...words] = command.replace(/--entrypoint \S+/, '').split(' ').filter((word) => word !== '' && !word.startsWith('-'))
      const named = verb === 'exec' || verb === 'run' ? words.slice(0, 1) : words
      expect([command, named.filter((name) => !(name in services))]).toEqual([command, []])
      for (const [program] of command.matchAll(/bin\/\S+\.ts/g)) expect(existsSync(join(ROOT, program))).toBe(true)
    }
  })

  test('limits every container', () => {
    expect(named(({ mem_limit, cpus, pids_limit, logging }) => !mem_limit || !cpus || !pids_limit || !logging?.options['max-size'])).toEqual([])
    expect(named(({ cap_drop, security_opt }) => cap_drop?.join() !== 'ALL' || !security_opt?.includes('no-new-privileges:true'))).toEqual([])
    // Those of Temporal write their configuration at their start, or get it copied into them.
    expect(named(({ read_only }) => read_only !== true)).toEqual(['temporal-schema', 'temporal', 'temporal-namespace', 'temporal-ui'])
  })

  test('pins every image', () => {
    expect(named(({ image = '' }) => !/^bahi:local$|:\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$/.test(image))).toEqual([])
  })

  test('keeps the books, and the PostgreSQL of Temporal, to those who need them', () => {
    const on = (network: string) => named((container) => container.networks?.includes(network) ?? false)
    expect(named(({ networks: own }) => own === undefined)).toEqual([])
    expect(on('books')).toEqual(['postgres', 'migrate', 'api', 'worker'])
    expect(on('histories')).toEqual(['temporal-postgres', 'temporal-schema', 'temporal'])
    expect(Object.entries(networks).filter(([, network]) => network?.internal).map(([name]) => name)).toEqual(['books', 'limits', 'histories', 'workflows'])
  })

  test('migrates as the owner, and runs the service as a role that owns nothing', () => {
    expect(services.migrate!.environment).toEqual({
      DATABASE_URL: of('postgres://bahi:{POSTGRES_PASSWORD}@postgres:5432/bahi'), SERVICE_ROLE: 'bahi_service',
      SERVICE_PASSWORD: expect.stringContaining('SERVICE_PASSWORD'),
    })
    for (const name of ['api', 'worker'])
      expect(services[name]!.environment!.DATABASE_URL).toBe(of('postgres://bahi_service:{SERVICE_PASSWORD}@postgres:5432/bahi'))
  })

  test('passes every setting of the service', () => {
    const told = [...read('docs/running.md').matchAll(/^\| `([A-Z_]+)` \| (?:`[^`]*`|none) \|/gm)].map(([, name]) => name!)
    // Of the image, of other containers, of the local run, of demonstrations.
    const left = ['HOST', 'PORT', 'HEALTH_PORT', 'WORKFLOW_BUNDLE', 'SERVICE_ROLE', 'SERVICE_PASSWORD', 'CODEC_HOST', 'CODEC_PORT', 'CODEC_ORIGINS', 'DATA_DIR', 'RECURRING_TICK_SECONDS']
    for (const name of ['api', 'worker']) {
      const passed = Object.keys(services[name]!.environment!)
      expect(told.filter((setting) => !passed.includes(setting) && !left.includes(setting))).toEqual([])
      expect(passed.filter((setting) => !told.includes(setting))).toEqual([])
    }
  })
})
