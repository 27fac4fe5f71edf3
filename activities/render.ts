// The activity of PDFs: renders a document into the blob store.
import { ApplicationFailure } from '@temporalio/activity'
import type { RenderedFile, RenderInput } from '../domain/render-run.ts'

export function renderActivities() {
  return {
    /** Renders a document, unless its file is in the blob store already. */
    async renderDocument({ kind }: RenderInput): Promise<RenderedFile> {
      throw ApplicationFailure.nonRetryable(`there is no template for ${kind} yet`, 'UnknownTemplate')
    },
  }
}
