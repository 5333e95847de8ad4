import { expect } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import type { Peer } from '../../services/_kit/peer.ts'
import type { Service, Started } from '../../services/_kit/service.ts'
import { type Driver, makeSql } from '../../services/_kit/sql/sql.ts'
import engine from '../../services/ai-engine/service.ts'
import consultations from '../../services/consultations/service.ts'
import files from '../../services/files/service.ts'
import matter from '../../services/matter/service.ts'
import { newDatabase } from './databases.ts'
import { newDirectory } from './files.ts'
import type { KillSwitch } from './kill-switch.ts'
import { makePeer } from './matter.ts'
import { respondWithFile, seedResponses, type TestFiles } from './seed-causes.ts'
import type { Story } from './story.ts'

type StoryFile = Story['files'][string]

const key = 'a-key-for-stories'
const identity = {
  'x-internal-api-key': key,
  'x-organization-id': 'acme',
  'x-user-id': '7',
  'x-user-type': 'lawyer',
}
const unavailable: Peer = () => Promise.reject(new Error('not part of the story'))

/** ai-engine, matter-service and files-service on one database; knowledge-service holds the seed packages. */
export async function startStorySuite(on: 'pglite' | 'postgres') {
  const database = await newDatabase(on)
  const storage = newDirectory()
  const start = (
    service: Service,
    driver: Driver,
    peers: (name: string) => Peer,
    variables: Record<string, string> = {},
  ): Started =>
    service.start({
      env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, ...storage.variables, ...variables },
      peers,
      log: silent,
      metrics: makeMetrics(),
      version: '0',
      database: driver,
      runtime: 'node',
    })
  const filesService = start(files, database.driver, () => unavailable)
  const peersOfMatter = (name: string) =>
    name === 'files-service' ? (request: Request) => filesService.fetch(request) : unavailable
  const matterService = start(matter, database.driver, peersOfMatter)
  const knowledge = seedResponses()
  const parsed: TestFiles = {}
  const parsedFiles = makePeer(({ path }) => respondWithFile(parsed, path)).peer
  const peers: Record<string, Peer> = {
    'matter-service': (request) => matterService.fetch(request),
    'files-service': (request) =>
      /\/files\/parsed-\d+/.test(request.url) ? parsedFiles(request) : filesService.fetch(request),
    'knowledge-service': makePeer(({ path, body }) => knowledge(path, body)).peer,
  }

  async function send(to: Started, method: string, path: string, body?: unknown, headers = {}) {
    const isForm = body instanceof FormData
    const response = await to.fetch(
      new Request(`http://x${path}`, {
        method,
        headers: {
          ...identity,
          ...(isForm || body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : isForm ? body : JSON.stringify(body),
      }),
    )
    return { status: response.status, data: ((await response.json()) as { data: any }).data }
  }

  const fileIds = new Map<string, Promise<string>>()

  async function addParsed(file: StoryFile): Promise<string> {
    const id = `parsed-${Object.keys(parsed).length + 1}`
    parsed[id] = file
    return id
  }

  async function uploadText({ filename, text }: StoryFile): Promise<string> {
    const form = new FormData()
    form.set('file', new File([text], filename))
    form.set('parse', 'true')
    const { data } = await send(filesService, 'POST', '/api/v1/internal/files/upload', form)
    const readStatus = async () => {
      await filesService.tick()
      return (await send(filesService, 'GET', `/api/v1/internal/files/${data.fileId}/text`)).status
    }
    await expect.poll(readStatus, { timeout: 60_000, interval: 20 }).toBe(200)
    return data.fileId
  }

  return {
    sql: makeSql(database.driver),
    knowledge,
    startEngine: (killSwitch: KillSwitch, variables?: Record<string, string>) =>
      start(
        engine,
        killSwitch.driver(database.driver),
        (name) => killSwitch.peer(peers[name] ?? unavailable),
        variables,
      ),
    /** consultations-service in front of an engine. */
    startConsultations: (behind: Started) =>
      start(consultations, database.driver, (name) =>
        name === 'ai-engine' ? (request) => behind.fetch(request) : (peers[name] ?? unavailable),
      ),
    filesService,
    matterService,
    send,
    matter: (method: string, path: string, body?: unknown) =>
      send(matterService, method, path, body),
    /** Id of a file of a story, the same wherever the story is told again. */
    fileOf(story: Story, name: string): Promise<string> {
      const file = story.files[name]!
      const key = `${story.name}: ${name}`
      const known = fileIds.get(key)
      const id = known ?? (story.upload ? uploadText(file) : addParsed(file))
      fileIds.set(key, id)
      return id
    },
    async download(fileId: string): Promise<Uint8Array> {
      const path = `/api/v1/internal/files/${fileId}/content`
      const response = await filesService.fetch(
        new Request(`http://x${path}`, { headers: identity }),
      )
      return new Uint8Array(await response.arrayBuffer())
    },
    async close() {
      await database.drop()
      await storage.drop()
    },
  }
}

export type StorySuite = Awaited<ReturnType<typeof startStorySuite>>
