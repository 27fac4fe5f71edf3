// Starts an installed LibreOffice, which a small Python program drives, with a profile and fonts of its own.
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { PDF_OPTIONS, type Converter } from './converter.ts'
import { endOf } from './embedded.ts'
import { FONT_FILES } from './fonts.ts'

const PROGRAM = fileURLToPath(new URL('soffice-convert.py', import.meta.url))
const ELSEWHERE = ['/Applications/LibreOffice.app/Contents/MacOS/soffice', '/usr/lib/libreoffice/program/soffice']
const FOLDER = 'bahi-pdf-'

/** LibreOffice, and a Python that can speak with it. */
export interface Soffice {
  soffice: string
  python: string
}

/** LibreOffice where it is installed with its module for Python, in these folders or where it usually is; otherwise null. */
export function findSoffice(path: readonly string[]): Soffice | null {
  if (process.platform === 'win32') return null
  const soffice = [...path.map((folder) => join(folder, 'soffice')), ...ELSEWHERE].find((file) => existsSync(file))
  if (!soffice) return null
  const program = dirname(realpathSync(soffice))
  const pythons = [
    join(program, 'python'),
    join(program, '..', 'Resources', 'python'),
    ...path.map((folder) => join(folder, 'python3')),
    '/usr/bin/python3',
  ]
  const speaks = (python: string) =>
    existsSync(python) && spawnSync(python, ['-c', 'import uno'], { stdio: 'ignore', timeout: 10_000 }).status === 0
  const python = [...new Set(pythons)].find(speaks)
  return python ? { soffice, python } : null
}

export function sofficeConverter({ soffice, python }: Soffice, nice: number): Converter {
  removeLeftovers()
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`))
  const fontconfig = join(folder, 'fonts.conf')
  writeFileSync(fontconfig, fontsConf(folder))
  const [document, pdf] = [join(folder, 'document.fodt'), join(folder, 'document.pdf')]
  // In a group of its own, because LibreOffice is several processes. It gets nothing of our environment, which has the keys.
  const child = spawn(python, [PROGRAM, soffice, folder, JSON.stringify(PDF_OPTIONS), String(nice)], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, FONTCONFIG_FILE: fontconfig, LANG: 'C.UTF-8' },
  })
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<{ ready?: true; done?: true; failed?: string }> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('LibreOffice ended')
    return JSON.parse(value)
  }
  const ready = answer().then(() => undefined)
  ready.catch(() => undefined)
  const ended = endOf(child).then(async (how) => {
    killGroup(child.pid)
    // The profile of LibreOffice is hundreds of files; other documents and workflows go on meanwhile.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    return how
  })
  return {
    pid: child.pid ?? 0,
    ready,
    async convert(bytes) {
      try {
        await writeFile(document, bytes, { mode: 0o600 })
        child.stdin.write(`${JSON.stringify({ document, pdf })}\n`)
        const { failed } = await answer()
        if (failed !== undefined) throw new Error(failed)
        return await readFile(pdf)
      } finally {
        await Promise.all([document, pdf].map((file) => rm(file, { force: true })))
      }
    },
    kill: () => killGroup(child.pid),
    ended,
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

// Ours are preferred by name. What else the machine has stands in for letters that ours lack.
function fontsConf(folder: string): string {
  mkdirSync(join(folder, 'fonts'))
  const folders = [...new Set(FONT_FILES.map((file) => dirname(file))), '/usr/share/fonts', '/usr/local/share/fonts']
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((each) => `<dir>${each.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</dir>`).join('\n')}
<cachedir>${join(folder, 'fonts')}</cachedir>
</fontconfig>
`
}

/** Ends what a killed process of ours has left behind: its LibreOffice, which should have ended by itself, and its folder. */
function removeLeftovers(): void {
  const begunAt = Date.now() - process.uptime() * 1000
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^bahi-pdf-(\d+)-\w{6}$/.exec(name) ?? []
    if (pid === undefined) continue
    const folder = join(tmpdir(), name)
    try {
      // In a container every process of ours may have the same id.
      const isOurs = Number(pid) === process.pid && statSync(folder).mtimeMs >= begunAt
      if (isOurs || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
      for (const left of processesOf(folder)) process.kill(left, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Another process of ours removes it, or it belongs to another user.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

// The processes whose command names the folder.
function processesOf(folder: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)
      } catch {
        return false
      }
    })
    .map(Number)
}
