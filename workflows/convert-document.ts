// The workflow of a conversion: an estimate becomes an order, an order an invoice or a bill; one transaction for each document.
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import { targetLines, type ConversionInput, type ConversionOutcome } from '../domain/conversion-run.ts'
import { searchPairs } from '../domain/search-attributes.ts'

export async function convertDocument(input: ConversionInput): Promise<ConversionOutcome> {
  const { convertNext } = proxyActivities<Activities['core']>({
    startToCloseTimeout: '10 seconds',
    // The caller waits for ten seconds: when a worker ends, another one takes the document over before.
    heartbeatTimeout: '3 seconds',
    scheduleToCloseTimeout: '1 hour',
    // A refusal is not retried. Every other error is one of our own, such as an unavailable database, and is retried.
    retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
  })
  setCurrentDetails(`CONVERTING: ${input.source} ${input.sourceId}`)
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

// A command has refused: the workflow fails with the same failure, so that the caller gets the same refusal.
function refusalIn(error: unknown): ApplicationFailure | null {
  const { cause } = error instanceof ActivityFailure ? error : {}
  return cause instanceof ApplicationFailure && cause.category === 'BENIGN' ? cause : null
}
