import { newDatabase } from './databases.ts'
import { freePort } from './free-port.ts'
import { type Running, run } from './process.ts'
import { waitUntilReady } from './runtimes.ts'
import { scriptedModel } from './scripted-model.ts'
import { key } from './stage.ts'

const addresses = {
  memory: 'MEMORY_SERVICE_URL',
  matter: 'MATTER_SERVICE_URL',
  'ai-engine': 'AI_ENGINE_URL',
} as const
type Folder = keyof typeof addresses | 'consultations'

/** Starts the services of a consultation, each in its own process, on one PostgreSQL database. */
export async function startSuite(env: Record<string, string> = {}) {
  await using resources = new AsyncDisposableStack()
  const database = resources.adopt(await newDatabase('postgres'), (database) => database.drop())
  // A model that always fails makes the skills use their rules.
  const model = resources.adopt(await scriptedModel({ status: 400 }), (model) => model.close())
  const processes: Running[] = []
  resources.defer(async () => {
    await Promise.all(processes.map((each) => each.stop()))
  })

  const [memory, matter, engine, one, two] = await Promise.all(Array.from({ length: 5 }, freePort))
  const localUrl = (port: number | undefined) => `http://127.0.0.1:${port}`
  const variables = {
    ENVIRONMENT: 'test',
    INTERNAL_API_KEY: key,
    DATABASE_URL: database.url,
    DATABASE_POOL: '5',
    MIGRATE: 'false',
    LOG_LEVEL: 'warn',
    AI_BASE_URL: model.baseUrl,
    AI_MODEL: 'scripted',
    [addresses.memory]: localUrl(memory),
    [addresses.matter]: localUrl(matter),
    [addresses['ai-engine']]: localUrl(engine),
    // The engine works without knowledge-service.
    KNOWLEDGE_SERVICE_URL: 'http://127.0.0.1:1',
    ...env,
  }
  const starter = (folder: Folder, port: number | undefined) => async () => {
    const args = ['services/_run/node.ts', folder]
    const started = run(process.execPath, args, { ...variables, PORT: String(port) })
    processes.push(started)
    await waitUntilReady(started, `127.0.0.1:${port}`)
    return started
  }
  const start = {
    engine: starter('ai-engine', engine),
    first: starter('consultations', one),
    second: starter('consultations', two),
  }
  await Promise.all([starter('memory', memory)(), starter('matter', matter)()])
  const running = {
    engine: await start.engine(),
    first: await start.first(),
    second: await start.second(),
  }
  const moved = resources.move()
  return {
    model,
    matter: localUrl(matter),
    /** Two replicas of consultations-service. */
    replicas: [localUrl(one), localUrl(two)] as const,
    /** Kills a process with SIGKILL. */
    async kill(which: keyof typeof running) {
      running[which].signal('SIGKILL')
      await running[which].exit
    },
    async restart(which: keyof typeof running) {
      running[which] = await start[which]()
    },
    close: () => moved.disposeAsync(),
  }
}

export type Suite = Awaited<ReturnType<typeof startSuite>>
