import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { authority } from './certificates.ts'

type Entries = { user?: object; cluster?: object; context?: object; name?: string }

/** Creates a directory with kubeconfig files, tokens and plugins that is removed after the test. */
export function makeConfigDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-kubeconfig-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))

  function write(name: string, content: string, mode = 0o600): string {
    const path = join(directory, name)
    writeFileSync(path, content)
    chmodSync(path, mode)
    return path
  }

  return {
    directory,
    write,
    /** Writes a kubeconfig with one context, cluster and user of the same name. */
    kubeconfig(file: string, { user = {}, cluster = {}, context = {}, name = 'here' }: Entries) {
      const ca = Buffer.from(authority).toString('base64')
      const server = { server: 'https://10.0.0.1:6443', 'certificate-authority-data': ca }
      return write(
        file,
        JSON.stringify({
          'current-context': name,
          contexts: [{ name, context: { cluster: name, user: name, ...context } }],
          clusters: [{ name, cluster: { ...server, ...cluster } }],
          users: [{ name, user }],
        }),
      )
    },
    /** Writes an executable shell script. */
    script: (name: string, lines: string[]) =>
      write(name, ['#!/bin/sh', `cd "${directory}"`, ...lines, ''].join('\n'), 0o700),
  }
}
