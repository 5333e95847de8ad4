import { readdir, readFile } from 'node:fs/promises'

/** A built file of the console. */
export interface ConsoleFile {
  name: string
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

const contentTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

const directory = new URL('../../../dist/console/', import.meta.url)

/** Reads the built console; empty if it was not built. The bundle for workerd replaces this function. */
export async function readConsole(): Promise<ConsoleFile[]> {
  const names = await readdir(directory).catch(() => [])
  return Promise.all(
    names.map(async (name) => ({
      name,
      type: contentTypes[name.split('.').at(-1)!] ?? 'application/octet-stream',
      bytes: new Uint8Array(await readFile(new URL(name, directory))),
    })),
  )
}
