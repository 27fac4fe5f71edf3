// docs/operating.md has what an operator is sent to: a section for every alert, and a row for every check of the doctor.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { alerts } from '../../bin/alerts.ts'
import { ROOT, textOf } from './examples.ts'

test('every alert says what it means and which section helps', () => {
  const all = alerts(ROOT)
  expect(all.length).toBe(textOf('docs/monitoring/alerts.yml').match(/- alert: /g)!.length)
  expect(all.filter(({ summary, runbook }) => summary === '' || !/^docs\/(operating|running)\.md#[a-z-]+$/.test(runbook))).toEqual([])
  const anchors = new Set(['operating', 'running'].flatMap((name) => (
    [...textOf(`docs/${name}.md`).replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, title]) => `docs/${name}.md#${title!.toLowerCase().replaceAll(/[^\w\s-]/g, '').replaceAll(' ', '-')}`)
  )))
  expect(all.filter(({ runbook }) => !anchors.has(runbook))).toEqual([])
})

test('the doctor has the checks that its table lists', () => {
  const files = ['audit/stuck', 'bin/doctor'].flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`))
  const named = files.flatMap((file) => [...textOf(file).matchAll(/(?:check: |finding\(\s*|away\(|unavailable\(|\[\[)'([^']{1,50})'/g)].map(([, name]) => name!))
  const [, table = ''] = textOf('docs/operating.md').split('| Check | Finds |')
  const listed = [...table.split('\n\n')[0]!.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) => cell!.match(/[^`]+(?=`(?:,|$))/g)!)
  expect([...new Set(listed)].sort()).toEqual([...new Set(named)].sort())
})

test('the lines of logs and the messages that are quoted are those of the code', () => {
  const rooms = ['activities', 'api', 'audit', 'bin', 'commands', 'domain', 'gateways', 'models', 'worker', 'workflows']
  const files = rooms.flatMap((room) => readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((name) => `${room}/${name}`))
  // The SDK of Temporal writes one of them.
  const sources = [...files.filter((name) => name.endsWith('.ts')), 'node_modules/@temporalio/worker/lib/worker.js'].map(textOf).join('\n')
  const prose = ['operating', 'running'].map((name) => textOf(`docs/${name}.md`).replaceAll(/^```[\s\S]*?^```$/gm, '')).join('\n')
  const quoted = [...new Set([...prose.matchAll(/`([A-Za-z][\w' ;,.]*)`/g)].map(([, words]) => words!))]
  const lines = quoted.filter((words) => words.split(' ').length > 2 && !/^(npm|docker|promtool|temporal|node|psql|ALTER|GRANT)\b/.test(words))
  expect(lines.length).toBeGreaterThan(20)
  // What varies is left out: numbers, the ids of keys, and what three dots stand for.
  const parts = (words: string) => words.split(/\.\.\.|\b[\da-f]{8}\b|\b\d+\b/).map((part) => part.trim()).filter((part) => part.length > 5)
  expect(lines.filter((words) => !parts(words).every((part) => sources.includes(part)))).toEqual([])
})
