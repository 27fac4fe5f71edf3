// The registration of our search attributes over the network, for a Temporal server that we do not start ourselves.
import { Connection } from '@temporalio/client'
import { SEARCH_ATTRIBUTES } from './temporal.ts'

// The numbers of temporal.api.enums.v1.IndexedValueType.
const KINDS = { Keyword: 2, Int: 3, Datetime: 6 } as const

/**
 * Registers the search attributes that the namespace lacks and answers their names.
 * Throws when the server is away, or has one of them under another type.
 */
export async function registerSearchAttributes(address: string, namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address, connectTimeout: '10s' })
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
    const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in customAttributes))
    for (const [name, kind] of Object.entries(SEARCH_ATTRIBUTES)) {
      const there = customAttributes[name]
      if (there && there !== KINDS[kind]) throw new Error(`The search attribute ${name} exists with another type than ${kind}.`)
    }
    if (missing.length > 0) {
      const searchAttributes = Object.fromEntries(missing.map(([name, kind]) => [name, KINDS[kind]]))
      await connection.operatorService.addSearchAttributes({ namespace, searchAttributes })
    }
    return missing.map(([name]) => name)
  } finally {
    await connection.close()
  }
}
