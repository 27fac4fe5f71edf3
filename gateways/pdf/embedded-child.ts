// The program of the embedded engine: LibreOffice as WebAssembly, in a process of its own, which converts what its parent sends.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { Worker } from 'node:worker_threads'
import { LibreOfficeConverter, type ConversionOptions } from '@matbee/libreoffice-converter/server'
import { FONT_FILES } from './fonts.ts'

type Module = Parameters<LibreOfficeConverter['initializeWithModule']>[0]

const FONTS = '/instdir/share/fonts/truetype'

// A conversion blocks the event loop, so another thread ends this process when its parent is gone.
const WATCH = `
  const parent = process.ppid
  const isGone = () => {
    if (process.ppid !== parent) return true
    try { return !process.kill(parent, 0) } catch { return true }
  }
  setInterval(() => isGone() && process.kill(process.pid, 'SIGKILL'), 1000)
`
new Worker(WATCH, { eval: true }).unref()

/** What the parent sends: a document, and the options of LibreOffice's PDF export. */
interface Job {
  document: Uint8Array
  options: string
}

async function open(): Promise<LibreOfficeConverter> {
  const { createModule } = createRequire(import.meta.url)('@matbee/libreoffice-converter/wasm/loader') as {
    createModule(options: object): Promise<Module>
  }
  // Its main program would run in a thread beside the library that is initialised here, and now and then both wait for each other.
  const module = await createModule({ noInitialRun: true })
  // Both engines have the same fonts, so they break lines alike.
  for (const name of module.FS.readdir(FONTS)) if (/\.(ttf|otf|ttc)$/i.test(name)) module.FS.unlink(`${FONTS}/${name}`)
  for (const file of FONT_FILES) module.FS.writeFile(`${FONTS}/${basename(file)}`, readFileSync(file))
  const converter = new LibreOfficeConverter()
  await converter.initializeWithModule(module)
  return converter
}

/**
 * Calls of the API on the same machine go first. Only after the first document, which takes as long as the start: at the end of
 * the queue a busy machine would need minutes for both. Linux may share the processors between sessions before it looks at the
 * processes, and this one leads a session of its own.
 */
function standBack(nice: string): void {
  try {
    // LibreOffice has threads by now, and each has a priority of its own.
    for (const thread of process.platform === 'linux' ? readdirSync('/proc/self/task') : ['0']) {
      setPriority(Number(thread), Number(nice))
    }
    writeFileSync('/proc/self/autogroup', nice)
  } catch {
    // A thread has ended meanwhile; another system, or one without such groups.
  }
}

const converter = await open()
let isFirst = true
process.on('message', async ({ document, options }: Job) => {
  try {
    const conversion: ConversionOptions = { inputFormat: 'odt', outputFormat: 'pdf', filterOptions: options }
    const { data } = await converter.convert(document, conversion)
    if (isFirst) standBack(process.argv[2]!)
    isFirst = false
    process.send!({ pdf: data })
  } catch (error) {
    process.send!({ failed: error instanceof Error ? error.message : String(error) })
  }
})
process.once('disconnect', () => process.exit())
process.send!({ ready: true })
