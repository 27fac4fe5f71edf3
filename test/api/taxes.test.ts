// Taxes over HTTP: the list that an organisation starts with, only read.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { GST_TAX_LIST } from '../../domain/gst.ts'
import { startService, type Service } from './service.ts'
import { openOrganization, type Json, type Organization } from './organization.ts'

let service: Service
let ours: Organization

beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
})
afterAll(() => service.close())

test('every GST rate is there, percentages as numbers', async () => {
  const taxes = await ours.walk('/taxes', 'taxes', 7)
  expect(taxes.map(({ name }) => name).sort()).toEqual(GST_TAX_LIST.map(({ name }) => name).sort())
  expect(taxes.find(({ name }) => name === 'GST 0.25%')).toMatchObject({ shape: 'INTRA_STATE', cgst: 0.125, sgst: 0.125, igst: 0, cess: 0 })
  expect(taxes.find(({ name }) => name === 'IGST 18%')).toMatchObject({ shape: 'INTER_STATE', cgst: 0, sgst: 0, igst: 18, cess: 0 })
})

test.each(['INTRA_STATE', 'INTER_STATE', 'RCM', 'EXEMPT', 'NIL_RATED', 'NON_GST'])('the list is filtered by the shape %s', async (shape) => {
  const { taxes } = await ours.get(`/taxes?shape=${shape}`)
  expect(taxes.map(({ name }: Json) => name).sort()).toEqual(GST_TAX_LIST.filter((tax) => tax.shape === shape).map(({ name }) => name).sort())
})

test('one is read by its id, within its organisation', async () => {
  const [tax] = (await ours.get('/taxes?per_page=1')).taxes
  expect((await ours.get(`/taxes/${tax.tax_id}`)).tax).toEqual(tax)
  const theirs = await openOrganization(service)
  expect(await theirs.refusal('GET', `/taxes/${tax.tax_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
})

test('taxes are not written', async () => {
  expect(await ours.refusal('POST', '/taxes', { name: 'GST 6%' })).toEqual({ status: 405, code: 'request.method_not_allowed' })
})
