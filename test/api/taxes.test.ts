// Taxes over HTTP: the list that an organisation starts with, only read.
import { expect, test } from '@jest/globals'
import { GST_TAX_LIST } from '../../domain/gst.ts'
import type { Json } from '../fixtures/client.ts'
import { openEmptyOrganization } from '../fixtures/empty-organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openEmptyOrganization(service)

test('every GST rate is there, percentages as numbers', async () => {
  const taxes = await ours.listAll('/taxes', 'taxes', 7)
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
  const theirs = await openEmptyOrganization(service)
  expect(await theirs.refusal('GET', `/taxes/${tax.tax_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
})

test('taxes are not written', async () => {
  expect(await ours.refusal('POST', '/taxes', { name: 'GST 6%' })).toEqual({ status: 405, code: 'request.method_not_allowed' })
})
