import { type Backend, startBackend } from './backend.ts'
import { startStandIn } from './qdrant-stand-in/server.ts'

interface QdrantServer extends Backend {
  request(method: string, path: string, body?: unknown): Promise<any>
}

/** A real Qdrant server, or the reason why there is none. */
export async function startQdrant(): Promise<QdrantServer | string> {
  const server = await startBackend({
    name: 'Qdrant',
    folder: 'qdrant',
    urlVariable: 'QDRANT_TEST_URL',
    portVariable: 'QDRANT_PORT',
    pidFile: 'qdrant.pid',
    buildUrl: (port) => `http://127.0.0.1:${port}`,
    timeoutMs: 90_000,
  })
  return typeof server === 'string' ? server : { ...server, request: makeQdrantRequest(server.url) }
}

/** Returns a function that sends requests to a Qdrant server and returns their `result`. */
export const makeQdrantRequest =
  (url: string) => async (method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return ((await response.json()) as { result: any }).result
  }

/** Projects of contract tests that run with a real Qdrant; the others run with its stand-in. */
const realProjects = ['postgres', 'workerd']

/**
 * Search backends of the tests: the database and Qdrant. Tests that run once have both the stand-in and the real server
 * if it can be started; contract tests have one of them in each project.
 */
export async function searchBackends() {
  const project = process.env.TEST_PROJECT
  const [real, standIn] = await Promise.all([
    project === undefined || realProjects.includes(project)
      ? startQdrant()
      : `${project} runs with the stand-in for Qdrant.`,
    startStandIn(),
  ])
  if (typeof real === 'string') console.warn(`skipped: ${real}`)
  const servers: { name: string; url: string; restart?: (() => Promise<void>) | undefined }[] = [
    ...(typeof real === 'string' || project === undefined
      ? [{ name: 'a stand-in for Qdrant', url: standIn.url }]
      : []),
    ...(typeof real === 'string' ? [] : [{ name: 'Qdrant', url: real.url, restart: real.restart }]),
  ]
  return {
    backends: [
      { name: 'the database', backend: 'database', env: {} as Record<string, string> },
      ...servers.map(({ name, url }) => ({ name, backend: 'qdrant', env: qdrantVariables(url) })),
    ],
    servers,
    async stop() {
      await standIn.stop()
      if (typeof real !== 'string') await real.stop()
    },
  }
}

export const qdrantVariables = (url: string): Record<string, string> => ({
  KNOWLEDGE_SEARCH_BACKEND: 'qdrant',
  QDRANT_URL: url,
  QDRANT_TIMEOUT_MS: '10000',
})
