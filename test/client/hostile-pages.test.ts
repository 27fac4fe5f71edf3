// Lists of a server that breaks every promise: pages that are lost, that come again, or that have no end.
import { afterAll, expect, test } from '@jest/globals'
import { Bahi, InvalidAnswerError } from '../../client/src/index.ts'
import { cut, json, openHostileServer, type Step } from './hostile-server.ts'

const server = await openHostileServer()
afterAll(() => server.close())

const FINE = json(200, { code: 0, message: 'success', contacts: [], page_context: { has_more_page: false, next_cursor: null } })
const bahi = new Bahi({ baseUrl: server.baseUrl, token: 'svc_pat_x', backoffMs: 1 })

const page = (page_context: object): Step => json(200, { code: 0, message: 'success', contacts: [{ contact_id: 'c' }], page_context })
const readAll = async () => { for await (const _contact of bahi.pages('/contacts', { query: { search: 'M' } })); }

test('pages are asked for by their cursors, with the filters', async () => {
  server.script(page({ has_more_page: true, next_cursor: 'a&b' }), page({ has_more_page: true, next_cursor: 'c' }), FINE)
  await readAll()
  expect(server.sent.map(({ path }) => path)).toEqual(['', '&cursor=a%26b', '&cursor=c'].map((more) => `/contacts?search=M${more}`))
})

test('pages that come again end the list', async () => {
  server.script(page({ has_more_page: true, next_cursor: 'a' }), page({ has_more_page: true, next_cursor: 'b' }), page({ has_more_page: true, next_cursor: 'a' }))
  await expect(readAll()).rejects.toBeInstanceOf(InvalidAnswerError)
  expect(server.sent.length).toBe(3)
})

test('more pages without a cursor end the list', async () => {
  server.script(page({ has_more_page: true, next_cursor: null }))
  await expect(readAll()).rejects.toBeInstanceOf(InvalidAnswerError)
})

test('each page is repeated', async () => {
  server.script(page({ has_more_page: true, next_cursor: 'a' }), cut, FINE)
  await readAll()
  expect(server.sent.length).toBe(3)
})

test('a list without an end is read as far as its reader goes', async () => {
  let cursor = 0
  server.script((response, sent) => {
    cursor += 1
    page({ has_more_page: true, next_cursor: String(cursor) })(response, sent)
  })
  let read = 0
  for await (const _contact of bahi.pages('/contacts')) if ((read += 1) === 50) break
  expect([read, server.sent.length]).toEqual([50, 50])
})
