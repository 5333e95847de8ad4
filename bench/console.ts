import { gzipSync } from 'node:zlib'
import { chromium, type Page } from 'playwright-core'
import { findChromium } from '../tests/browser/chromium.ts'
import { startConsole } from './console/server.ts'
import { formatCount, median, quantile } from './support/figures.ts'
import type { Results } from './support/results.ts'

const load = { messages: 500, tokens: 10_000, rows: 10_000 }

/** Measures the console in a Chromium: size, time to usable, long tasks of a stream, frames of a long list. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const rounds = quick ? 1 : 3
  const server = await startConsole(load)
  const browser = await chromium.launch({
    executablePath: findChromium()!,
    args: ['--no-sandbox'],
  })
  try {
    const loads: Awaited<ReturnType<typeof measureLoad>>[] = []
    const streams: Awaited<ReturnType<typeof measureStream>>[] = []
    const scrolls: number[][] = []
    for (let round = 0; round < rounds; round++) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
      const page = await context.newPage()
      loads.push(await measureLoad(page, server.origin))
      streams.push(await measureStream(page, server.origin))
      scrolls.push(await measureScroll(page, server.origin))
      await context.close()
    }
    const frames = scrolls.flat()
    const scripts = server.files.filter(({ name }) => name.endsWith('.js'))
    const first = scripts.filter(({ name }) => loads[0]!.urls.some((url) => url.endsWith(name)))
    const longest = streams.map(({ tasks }) => Math.max(0, ...tasks))
    return {
      versions: { Chromium: browser.version() },
      tables: [
        {
          title: 'The console in a browser',
          head: ['', 'measured', 'goal'],
          rows: [
            ['script of the first view, compressed', `${compressedKb(first)} KB`, '≤ 200 KB'],
            ['all scripts, compressed', `${compressedKb(scripts)} KB`, ''],
            ['first view usable', `${ms(median(loads.map((each) => each.ms)))} ms`, '≤ 1,000 ms'],
            [
              'tasks over 50 ms during the stream',
              `${median(streams.map(({ tasks }) => tasks.length))}`,
              '0',
            ],
            ['longest task during the stream', `${ms(Math.max(...longest))} ms`, '≤ 50 ms'],
            ['stream received and shown', `${ms(median(streams.map((each) => each.ms)))} ms`, ''],
            ['frame while a list scrolls, median', `${ms(median(frames))} ms`, ''],
            ['frame while a list scrolls, p99', `${ms(quantile(frames, 0.99))} ms`, ''],
          ],
          notes: [
            `${formatCount(load.tokens)} tokens stream as fast as the connection takes them into a thread of ${load.messages} messages; the list has ${formatCount(load.rows)} rows and is scrolled from its start to its end. Stand-ins of the services run in the process of the benchmark, the page in the browser. ${rounds} rounds in one browser.`,
          ],
        },
      ],
    }
  } finally {
    await browser.close()
    server.close()
  }
}

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

async function measureStream(page: Page, origin: string) {
  await page.goto(`${origin}/consultations/1`)
  await page.locator('.thread-row').first().waitFor()
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { tasks })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration)
    }).observe({ entryTypes: ['longtask'] })
  })
  await page.getByRole('textbox').last().fill('Go')
  const startedAt = performance.now()
  await page.getByRole('textbox').last().press('Enter')
  const stop = page.getByRole('button', { name: 'Stop' })
  await stop.waitFor()
  await stop.waitFor({ state: 'detached' })
  const ms = performance.now() - startedAt
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
