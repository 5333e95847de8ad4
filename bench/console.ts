import { gzipSync } from 'node:zlib'
import { chromium, type Page } from 'playwright-core'
import { findChromium } from '../tests/browser/chromium.ts'
import { startAssistantUi } from './console/assistant-ui.ts'
import { startConsole } from './console/server.ts'
import { formatCount, median, quantile } from './support/figures.ts'
import type { Results } from './support/results.ts'

const load = { messages: 500, tokens: 10_000, rows: 10_000 }

/** Measures the console in a Chromium: size, time to usable, long tasks of a stream, frames of a long list. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const rounds = quick ? 1 : 3
  const server = await startConsole(load)
  const peer = await startAssistantUi(load)
  const browser = await chromium.launch({
    executablePath: findChromium()!,
    args: ['--no-sandbox'],
  })
  try {
    const loads: Awaited<ReturnType<typeof measureLoad>>[] = []
    const streams: StreamFigures[] = []
    const peerStreams: StreamFigures[] = []
    const scrolls: number[][] = []
    for (let round = 0; round < rounds; round++) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
      const page = await context.newPage()
      loads.push(await measureLoad(page, server.origin))
      streams.push(await measureStream(page, server.origin))
      scrolls.push(await measureScroll(page, server.origin))
      if (typeof peer !== 'string') peerStreams.push(await measurePeer(page, peer.origin))
      await context.close()
    }
    const frames = scrolls.flat()
    const scripts = server.files.filter(({ name }) => name.endsWith('.js'))
    const first = scripts.filter(({ name }) => loads[0]!.urls.some((url) => url.endsWith(name)))
    const both = (figure: (figures: StreamFigures[]) => string) =>
      [streams, peerStreams].map((figures) => (figures.length === 0 ? '–' : figure(figures)))
    return {
      versions: { Chromium: browser.version(), 'assistant-ui': '0.15.21' },
      tables: [
        {
          title: 'The console in a browser',
          head: ['', 'measured', 'goal'],
          rows: [
            ['script of the first view, compressed', `${compressedKb(first)} KB`, '≤ 200 KB'],
            ['all scripts, compressed', `${compressedKb(scripts)} KB`, ''],
            ['first view usable', `${ms(median(loads.map((each) => each.ms)))} ms`, '≤ 1,000 ms'],
            ['frame while a list scrolls, median', `${ms(median(frames))} ms`, ''],
            ['frame while a list scrolls, p99', `${ms(quantile(frames, 0.99))} ms`, ''],
          ],
          notes: [
            `The list has ${formatCount(load.rows)} rows and is scrolled from its start to its end. Stand-ins of the services run in the process of the benchmark, the page in the browser. ${rounds} rounds in one browser.`,
          ],
        },
        {
          title: `${formatCount(load.tokens)} tokens into a thread of ${load.messages} messages`,
          head: ['', 'console', 'assistant-ui', 'goal'],
          rows: [
            ['tasks over 50 ms, worst round', ...both(worstCount), '0'],
            ['longest task', ...both(longestTask), '≤ 50 ms'],
            ['stream received and shown, median', ...both(shownMs), ''],
          ],
          notes: [
            typeof peer === 'string'
              ? peer
              : 'The tokens stream as fast as the connection takes them. The console also loads the stored answer at the end and shows it in place of the stream. assistant-ui renders with its own Markdown part; its page has no styles, no list beside the thread and takes the tokens of a network packet at once.',
            'The browser reports tasks over 50 ms only: 0 means that there was none.',
          ],
        },
      ],
    }
  } finally {
    await browser.close()
    server.close()
    if (typeof peer !== 'string') peer.close()
  }
}

interface StreamFigures {
  ms: number
  /** Durations of the tasks over 50 ms. */
  tasks: number[]
}

const worstCount = (figures: StreamFigures[]) =>
  `${Math.max(...figures.map(({ tasks }) => tasks.length))}`
const longestTask = (figures: StreamFigures[]) =>
  `${ms(Math.max(0, ...figures.flatMap(({ tasks }) => tasks)))} ms`
const shownMs = (figures: StreamFigures[]) => `${ms(median(figures.map((each) => each.ms)))} ms`

const compressedKb = (files: { bytes: Uint8Array }[]) =>
  Math.round(files.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0) / 1024)
const ms = (value: number) => formatCount(Math.round(value))

/** Loads the first view with an empty cache until its list is shown. */
async function measureLoad(page: Page, origin: string) {
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.goto(`${origin}/consultations`)
  await page.locator('.list-row').first().waitFor()
  const ms = await page.evaluate(() => performance.now())
  return { ms, urls: [...urls] }
}

async function measureStream(page: Page, origin: string): Promise<StreamFigures> {
  await page.goto(`${origin}/consultations/1`)
  await page.locator('.thread-row').first().waitFor()
  return measureTasks(page, async () => {
    await page.getByRole('textbox').last().press('Enter')
    const stop = page.getByRole('button', { name: 'Stop' })
    await stop.waitFor()
    await stop.waitFor({ state: 'detached' })
  })
}

async function measurePeer(page: Page, origin: string): Promise<StreamFigures> {
  await page.goto(origin)
  await page.getByRole('textbox').waitFor()
  return measureTasks(page, async () => {
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(`词${load.tokens - 1}，`).waitFor()
  })
}

/** Writes a message, sends it by `run`, and collects the tasks over 50 ms until the page is at rest. */
async function measureTasks(page: Page, run: () => Promise<void>): Promise<StreamFigures> {
  await page.getByRole('textbox').last().fill('Go')
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { tasks })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration)
    }).observe({ entryTypes: ['longtask'] })
  })
  const startedAt = performance.now()
  await run()
  const ms = performance.now() - startedAt
  await page.waitForTimeout(500)
  const tasks = await page.evaluate(() => (globalThis as unknown as { tasks: number[] }).tasks)
  return { ms, tasks }
}

/** Scrolls a list to its end and returns the times between frames. */
async function measureScroll(page: Page, origin: string) {
  await page.goto(`${origin}/consultations`)
  await page.locator('.list-row').first().waitFor()
  return page.evaluate(async (rows) => {
    const list = document.querySelector('.long-list')!
    const times: number[] = []
    let last = performance.now()
    while (document.querySelector(`[data-index="${rows - 1}"]`) === null) {
      if (times.length > 10 * rows) throw new Error('The list does not end.')
      const now = await new Promise<number>(requestAnimationFrame)
      times.push(now - last)
      last = now
      list.scrollTop += 2_000
    }
    return times
  }, load.rows)
}
