import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keysFromDirectory } from './keys.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keys-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const write = (file: string, text: string) => writeFileSync(join(directory, file), text)

test('changed key files are read again, and the keys are kept while files are replaced', async () => {
  write('current', 'one\n')
  write('accepted', 'older\n\nnewer\n')
  const { keys, stop } = keysFromDirectory(directory, 10)
  expect(keys()).toEqual({ current: 'one', accepted: ['older', 'newer'] })
  write('current', '')
  await new Promise((go) => setTimeout(go, 50))
  expect(keys().current).toBe('one')
  write('current', 'two')
  rmSync(join(directory, 'accepted'))
  await vi.waitFor(() => expect(keys()).toEqual({ current: 'two', accepted: [] }))
  stop()
})

test('a mounted Secret is reloaded when its symbolic link changes', async () => {
  const version = (name: string, key: string) => {
    const file = join(directory, name)
    writeFileSync(file, key)
    return file
  }
  symlinkSync(version('v1', 'first'), join(directory, 'current'))
  const { keys, stop } = keysFromDirectory(directory, 10)
  expect(keys().current).toBe('first')
  symlinkSync(version('v2', 'second'), join(directory, 'next'))
  renameSync(join(directory, 'next'), join(directory, 'current'))
  await vi.waitFor(() => expect(keys().current).toBe('second'))
  stop()
})

test('a directory without a key prevents the start', () => {
  expect(() => keysFromDirectory(directory)).toThrow('no key in')
})
