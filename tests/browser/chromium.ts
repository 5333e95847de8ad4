import { existsSync } from 'node:fs'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The executable of a Chromium: CHROMIUM_PATH or the usual places. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH } = process.env
  return CHROMIUM_PATH || usualPlaces.find((path) => existsSync(path))
}
