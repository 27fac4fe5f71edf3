// Data and pictures into a template: what is printed, as one flat OpenDocument, before an engine makes a PDF of it.
import { PICTURE_NAMES, type PrintedDocument, type TemplateName } from '../../domain/print/printed-document.ts'
import { fillMarkers } from './carbone.ts'
import { withFittedColumns } from './fitted-columns.ts'
import { literalData, printedText } from './literal-text.ts'
import { filledFrame } from './picture-frames.ts'
import { FRAME_MARKS, readTemplate, type Template } from './template-file.ts'

/** A template that cannot be filled, or a picture that cannot be shown. The same data fails again. */
export class MergeFailed extends Error {
  override name = 'MergeFailed'
}

// A merge takes tens of milliseconds; Carbone may, by its own history, never answer.
const TIMEOUT_MS = 20_000
const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'

// LibreOffice drops the cells after one that holds nothing.
const EMPTY_CELL = /(<table:table-cell\b[^>]*[^/>]>|<table:table-cell>)(<\/table:table-cell>)/g

// Frames of these names stay only where there is a picture for them. Other pictures are the designer's own.
const NAMED_FRAMES: ReadonlySet<string> = new Set(PICTURE_NAMES)

/** A template with the data in it; `merge` is this for the templates of the service. Throws what Carbone and the pictures throw. */
export async function mergeTemplate(
  template: Template,
  data: object,
  pictures: Record<string, Buffer>,
): Promise<Buffer> {
  const printed = printedText(await fillMarkers(template.xml, literalData(data), TIMEOUT_MS))
  const merged = withFittedColumns(printed, template.looks)
  const filled = template.frames.map((frame) => {
    if (!NAMED_FRAMES.has(frame.name)) return frame.xml
    const picture = pictures[frame.name]
    return picture ? filledFrame(frame, picture) : ''
  })
  const xml = merged
    .replace(FRAME_MARKS, (_, index: string) => filled[Number(index)] ?? '')
    .replace(EMPTY_CELL, '$1<text:p/>$2')
  return Buffer.from(PROLOG + xml)
}

/**
 * The template with the data in it, as flat ODT (one XML document). Pictures replace the frames of their name and are
 * scaled into them; a frame without a picture is removed. Blocks the event loop for tens of milliseconds, so only the
 * worker calls it. Throws MergeFailed.
 */
export async function merge(
  template: TemplateName,
  data: PrintedDocument,
  pictures: Record<string, Buffer>,
): Promise<Buffer> {
  try {
    return await mergeTemplate(await readTemplate(template), data, pictures)
  } catch (error) {
    throw new MergeFailed(
      `The template ${template} cannot be filled: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}
