// No finder reads beyond its organisation, whatever its arguments.
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import { branches } from '../../models/branch.ts'
import { allOf, equalTo, everything, hasId, not } from '../../models/condition.ts'
import type { BoundStatement, Connection } from '../../models/connection.ts'
import { findList, findListAbove, findRow, findRows, lockRows, finderAbove } from '../../models/find.ts'
import { models, sequelizeModelOf, type ModelOf } from '../../models/model.ts'
import type { organizations } from '../../models/organization.ts'
import { pageOf } from '../../models/page.ts'

type OwnedModel = ModelOf<{ org_id: string }>

let owned: OwnedModel[]
beforeAll(async () => {
  for (const name of readdirSync(new URL('../../models/', import.meta.url))) {
    if (name.endsWith('.ts')) await import(`../../models/${name}`)
  }
  owned = models().filter(({ columns }) => columns.includes('org_id'))
})

/** A scope that records its queries and finds nothing. */
function listening() {
  const heard: BoundStatement[] = []
  const run = async (...asked: BoundStatement) => {
    heard.push(asked)
    return []
  }
  const connection = { run } as unknown as Connection
  return { heard, connection, orgId: uuidv7() }
}

test('there are models of organisations, and some above them', () => {
  expect(owned.length).toBeGreaterThan(30)
  expect(models().filter((one) => !owned.includes(one)).map(({ name }) => name).sort())
    .toEqual([
      'idempotent_answers', 'installation', 'installation_keys', 'oauth_clients', 'oauth_consents', 'oauth_grants', 'oauth_tokens', 'organizations',
      'partner_keys', 'partners', 'password_reset_requests', 'password_resets', 'people', 'process_heartbeats', 'sessions',
    ])
})

test('a row is found by its organisation and its id', async () => {
  for (const model of owned.filter(({ columns }) => columns.includes('id'))) {
    const { heard, ...scope } = listening()
    const id = uuidv7()
    for (const lock of ['', 'FOR UPDATE', 'FOR SHARE'] as const) await findRow(scope, model, id, lock)
    await findRows(scope, model, [id])
    await lockRows(scope, model, [id])
    const owner = `"${model.name}"."org_id" = $1`
    expect(heard.map(([{ text }, [first]]) => [text.slice(text.indexOf(' WHERE ')), first])).toEqual([
      [` WHERE (${owner} AND "${model.name}"."id" = $2);`, scope.orgId],
      [` WHERE (${owner} AND "${model.name}"."id" = $2) FOR UPDATE;`, scope.orgId],
      [` WHERE (${owner} AND "${model.name}"."id" = $2) FOR SHARE;`, scope.orgId],
      [` WHERE (${owner} AND "${model.name}"."id" = ANY ($2));`, scope.orgId],
      [` WHERE (${owner} AND "${model.name}"."id" = ANY ($2)) ORDER BY "${model.name}"."id" FOR UPDATE;`, scope.orgId],
    ])
    expect(new Set(heard.map(([{ name }]) => name)).size).toBe(5)
  }
})

describe('a list is of one organisation', () => {
  const other = uuidv7()
  const conditions = {
    everything,
    'another organisation': hasId('org_id', other),
    'any other organisation': not(hasId('org_id', other)),
    'several conditions': allOf([equalTo('org_id', other), not(equalTo('is_active', true)), everything]),
  }
  test.each(Object.entries(conditions))('asked for %s', async (_, where) => {
    for (const model of owned) {
      const { heard, ...scope } = listening()
      await findList(scope, model, { where })
      const [[{ text }, values]] = heard as [BoundStatement]
      expect(values).toEqual([])
      expect(text).toMatch(new RegExp(` WHERE \\(?"${model.name}"."org_id" = '${scope.orgId}'(;$| AND )`))
      expect(text).not.toMatch(/ OR /)
    }
  })

  test('also on its later pages', async () => {
    const { heard, ...scope } = listening()
    await pageOf(scope, branches, { perPage: 5, after: { time: '2026-01-01T00:00:00.000Z', id: other }, ascending: true })
    expect(heard[0]![0].text).toContain(
      ` WHERE ("branches"."org_id" = '${scope.orgId}' AND (("created_time", "id") > ('2026-01-01T00:00:00.000Z', '${other}'))) `
      + 'ORDER BY "branches"."created_time" ASC, "branches"."id" ASC LIMIT 6;',
    )
  })
})

test('a model of an organisation is not to be had above organisations, nor by itself', () => {
  const { heard, connection } = listening()
  const forgotten = branches as unknown as typeof organizations
  expect(() => finderAbove(forgotten, () => ({}))).toThrow('branches are only read within an organisation')
  expect(() => findListAbove(connection, forgotten, {})).toThrow('branches are only read within an organisation')
  return expect(sequelizeModelOf(branches).findAll()).rejects.toThrow('a model is read through find.ts').then(() => expect(heard).toEqual([]))
})
