// Drives Chromium by its DevTools protocol: opens a page, waits for what it shows, and takes pictures.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Browser {
  open(url: string): Promise<void>
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>
  /** Waits until the expression is true in the page; throws an Error with the page's text after half a minute. */
  until(expression: string): Promise<void>
  /** The page as a PNG of a window of this height, without the menu at its left and the bar at its top. */
  picture(height: number): Promise<Buffer>
  close(): Promise<void>
}

const WIDTH = 1480
const MENU = { width: 205, height: 49 }
const PATIENCE_MS = 30_000
/** For what moves when the size of the window has changed. */
const SETTLE_MS = 1_500
// Without a sandbox, because it may run as root; only pages of the local run are opened.
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  '--remote-debugging-port=0',
]

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export async function openBrowser(chromium: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'bahi-browser-'))
  const process = spawn(chromium, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => process.once('exit', () => resolve()))
  const send = await connect(await debuggingAddress(process.stderr))
  await send('Page.enable')
  await send('Emulation.setDeviceMetricsOverride', { width: WIDTH, height: WIDTH, deviceScaleFactor: 1, mobile: false })
  await send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' })

  async function evaluate<T>(expression: string): Promise<T> {
    const { result } = (await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })) as {
      result: { value: T }
    }
    return result.value
  }
  return {
    async open(url) {
      await send('Page.navigate', { url })
    },
    evaluate,
    async until(expression) {
      for (
        const last = Date.now() + PATIENCE_MS;
        !(await evaluate<boolean>(expression).catch(() => false));
        await sleep(100)
      ) {
        if (Date.now() > last)
          throw new Error(`not so: ${expression}\n${await evaluate<string>('document.body.innerText')}`)
      }
    },
    async picture(height) {
      await send('Emulation.setDeviceMetricsOverride', { width: WIDTH, height, deviceScaleFactor: 1, mobile: false })
      await sleep(SETTLE_MS)
      const clip = { x: MENU.width, y: MENU.height, width: WIDTH - MENU.width, height: height - MENU.height, scale: 1 }
      const { data } = (await send('Page.captureScreenshot', { format: 'png', clip })) as { data: string }
      return Buffer.from(data, 'base64')
    },
    async close() {
      // Not answered where the browser ends first.
      void send('Browser.close')
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}

async function debuggingAddress(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const part of output) {
    text += String(part)
    const [, origin] = /DevTools listening on ws:\/\/([^/]+)\//.exec(text) ?? []
    if (origin === undefined) continue
    output.resume()
    const pages = (await (await fetch(`http://${origin}/json/list`)).json()) as {
      type: string
      webSocketDebuggerUrl: string
    }[]
    return pages.find(({ type }) => type === 'page')!.webSocketDebuggerUrl
  }
  throw new Error(`Chromium did not start:\n${text}`)
}

type Send = (method: string, params?: object) => Promise<unknown>

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address)
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as {
      id?: number
      result?: unknown
      error?: { message: string }
    }
    const call = id === undefined ? undefined : waiting.get(id)
    if (!call) return
    waiting.delete(id!)
    if (error) call.reject(new Error(error.message))
    else call.resolve(result)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  let last = 0
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1
      waiting.set(last, { resolve, reject })
      socket.send(JSON.stringify({ id: last, method, params }))
    })
}
