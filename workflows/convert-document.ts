// A document becomes another: an estimate an order, an order an invoice or a bill; one transaction a document.
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import { targetLines, type ConversionInput, type ConversionOutcome } from '../domain/conversion-run.ts'
import { searchPairs } from '../domain/search-attributes.ts'

export async function convertDocument(input: ConversionInput): Promise<ConversionOutcome> {
  const { convertNext } = proxyActivities<Activities['core']>({
    startToCloseTimeout: '10 seconds',
    scheduleToCloseTimeout: '1 hour',
    // A refusal is not tried again; whatever else is thrown is trouble of our own, such as a database that is away.
    retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
  })
  try {
    for (let hop = 1; ; hop += 1) {
      const { finished, targets } = await convertNext.executeWithOptions({ summary: `document ${hop}` }, [input])
      setCurrentDetails(['made:', ...targetLines(targets)].join('\n- '))
      if (finished) return ended('CONVERTED', { conversionId: input.conversionId, targets })
    }
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal) throw error
    setCurrentDetails(`refused: ${refusal.type}`)
    throw ended('REFUSED', refusal)
  }
}

function ended<Outcome>(state: 'CONVERTED' | 'REFUSED', outcome: Outcome): Outcome {
  upsertSearchAttributes(searchPairs({ state }))
  return outcome
}

// The books have refused: the process fails with the very same failure, so that whoever asked is told the very same.
function refusalIn(error: unknown): ApplicationFailure | null {
  const { cause } = error instanceof ActivityFailure ? error : {}
  return cause instanceof ApplicationFailure && cause.category === 'BENIGN' ? cause : null
}
