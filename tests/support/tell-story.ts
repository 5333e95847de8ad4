import { strFromU8, unzipSync } from 'fflate'
import { expect } from 'vitest'
import { ai } from './engine.ts'
import { makeKillSwitch } from './kill-switch.ts'
import { buildAnswers, type Story } from './story.ts'
import type { StorySuite } from './story-suite.ts'

const never = Number.POSITIVE_INFINITY
/** Cards after which a story counts as endless. */
const maxCards = 15

interface TellOptions {
  /** Point at which the engine is killed. Default: never. */
  killAt?: number
  /** Step of each round after which the engine is killed. A round with fewer steps runs to its end. Default: never. */
  killAfterStep?: number
  /** Variables of the engine. */
  variables?: Record<string, string>
  turns?: Story['turns']
}

/** Tells a story to its end and reads what the matter holds afterwards. */
export async function tellStory(suite: StorySuite, story: Story, options: TellOptions = {}) {
  const { killAt = never, killAfterStep = never, variables, turns = story.turns } = options
  const creation = { title: story.name, ...story.matter }
  const { data: matter } = await suite.matter('POST', '/api/v1/matters', creation)
  const thread_id = `story:${matter.id}`
  let killSwitch = makeKillSwitch(killAt, killAfterStep)
  let engine = suite.startEngine(killSwitch, variables)
  let kills = 0
  const steps: number[] = []
  const cards: any[] = []
  let rounds = 0

  /** Sends a request. After the kill, another process takes over the run or gets the request again. */
  async function request(path: string, body: object) {
    rounds++
    const before = killSwitch.countSteps()
    const sent = await suite.send(engine, 'POST', `${ai}${path}`, body).catch(() => null)
    steps.push(killSwitch.countSteps() - before)
    if (!killSwitch.isKilled() && sent?.status === 200) {
      // The engine counts the steps of each round anew.
      if (killAfterStep !== never) restart(killAfterStep)
      return sent.data
    }
    expect(killSwitch.isKilled(), JSON.stringify(sent)).toBe(true)
    kills++
    restart(never)
    await takeOver()
    const run = await readRun(path, body)
    if (killAfterStep !== never) restart(killAfterStep)
    return run
  }
  function restart(step: number) {
    killSwitch = makeKillSwitch(never, step)
    engine = suite.startEngine(killSwitch, variables)
  }
  /** The run that the killed process started, or that the repeated request starts. */
  async function readRun(path: string, body: object) {
    const { count } = (
      await suite.sql`
      select count(*)::int as count from ai_engine.runs where thread_id = ${thread_id}`
    )[0] as any
    if (count < rounds) return (await suite.send(engine, 'POST', `${ai}${path}`, body)).data
    const [run] = await suite.sql`
      select status, card from ai_engine.runs where thread_id = ${thread_id} order by round desc limit 1`
    return run as any
  }
  async function takeOver() {
    await suite.sql`
      update ai_engine.threads set lease_until = now() - interval '1 second'
      where thread_id = ${thread_id} and status = 'running'`
    // Jobs of the dead process are free at once; a lease that is awaited lasts 30 s.
    await suite.sql`
      update ai_engine.jobs set lease_until = now() - interval '1 second' where status = 'RUNNING'`
    const openWork = async () => {
      await suite.sql`update ai_engine.jobs set run_at = now() where status = 'PENDING'`
      await engine.tick()
      const [open] = await suite.sql`
        select (select count(*) from ai_engine.threads where thread_id = ${thread_id}
            and status = 'running') + (select count(*) from ai_engine.outbox
            where thread_id = ${thread_id} and status = 'PENDING') as count`
      return open!.count
    }
    await expect.poll(openWork, { timeout: 60_000, interval: 20 }).toBe(0)
  }

  for (const { message, files, answers } of turns) {
    const file_ids = await Promise.all(files.map((name) => suite.fileOf(story, name)))
    const body = { thread_id, matter_id: matter.id, user_id: 7, message, file_ids }
    let run = await request('/agent/execute', body)
    while (run.status === 'interrupted') {
      cards.push(run.card)
      expect(cards.length, JSON.stringify(run.card)).toBeLessThan(maxCards)
      const user_response = buildAnswers({ ...story.answers, ...answers }, run.card)
      run = await request('/agent/resume', { thread_id, user_id: 7, user_response })
    }
    expect(run).toMatchObject({ status: 'completed' })
  }
  const points = killSwitch.countPoints()
  // The process may die after its last response, while it sends effects.
  if (killSwitch.isKilled()) kills++
  if (kills > 0) {
    restart(never)
    await takeOver()
  }
  return { kills, points, steps, cards, ...(await readMatter(suite, matter.id)) }
}

export type ToldStory = Awaited<ReturnType<typeof tellStory>>

async function readMatter(suite: StorySuite, id: string) {
  const read = async (path: string) => (await suite.matter('GET', path)).data
  const base = `/api/v1/matters/${id}`
  const latest = await read(`/api/v1/internal/matters/${id}/analysis/versions/latest`)
  const deliverables = (await read(`${base}/deliverables`)).items as any[]
  const parts: Record<string, string> = {}
  for (const { deliverable_key, file_id } of deliverables.filter(isDocx))
    parts[deliverable_key] = strFromU8(
      unzipSync(await suite.download(file_id))['word/document.xml']!,
    )
  return {
    matter: await read(base),
    phases: (await read(`${base}/timeline`)).phases as any[],
    todos: (await read(`${base}/todos?size=200`)).items as any[],
    latest,
    analysis: latest.version === 0 ? null : await read(`${base}/analysis/${latest.version}`),
    deliverables,
    /** XML of each document, by deliverable_key. */
    parts,
    texts: Object.fromEntries(Object.entries(parts).map(([key, xml]) => [key, docxText(xml)])),
  }
}

/** Each document is delivered as DOCX and as PDF. */
export const isDocx = ({ deliverable_key }: { deliverable_key: string }) =>
  !deliverable_key.endsWith('_pdf')

/** Text of a DOCX: paragraphs as lines. */
const docxText = (xml: string) =>
  xml
    .replaceAll('</w:p>', '\n')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&amp;', '&')
