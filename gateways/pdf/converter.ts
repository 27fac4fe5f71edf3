// What the supervisor of an engine needs of its process.

export interface Converter {
  pid: number
  /** Resolves when it can convert. */
  ready: Promise<void>
  /** One document at a time. Rejects with what LibreOffice says. */
  convert(document: Buffer): Promise<Buffer>
  /** Kills the process and what it has started, whatever they do. */
  kill(): void
  /** Resolves when the process has ended: by which signal or exit code. */
  ended: Promise<string>
}

/** The options of LibreOffice's PDF export: tags for screen readers, and the title in the window. */
export const PDF_OPTIONS = { UseTaggedPDF: true, DisplayPDFDocumentTitle: true }
