import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Expansion } from '../../services/knowledge/search/query/query-terms.ts'
import type { Subject } from './corpus.ts'
import { splitPoint } from './corpus.ts'
import type { QuestionSet } from './speed.ts'

const home = join(import.meta.dirname, '../peers/lucene')
const jars = join(tmpdir(), 'legal-suite-lucene-9.12.1')
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'

/** Results of Lucene at a stage: milliseconds per timed question and hits per question. */
export interface LuceneStage {
  times: number[]
  results: Map<string, number[]>
  chunksASecond: number
}

/**
 * Measures Lucene on the same chunks, stage by stage. Timed questions are expanded by the same weighted words
 * as in the service. Returns the reason if Lucene is not available.
 */
export async function askLucene(
  { articles }: Pick<Subject, 'articles'>,
  { warmup: before, timed }: QuestionSet,
  expand: (query: string) => readonly Expansion[],
  hits: number,
  stages: readonly number[],
): Promise<Map<number, LuceneStage> | string> {
  const missing = fetchJars()
  if (missing) return missing
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-lucene-index-'))
  try {
    const [articlesFile, questionsFile] = ['articles', 'questions'].map((name) =>
      join(directory, name),
    )
    const rows = articles.map((article) => {
      const heading = line(`${article.law} ${article.article}`)
      return `${heading}\t${line(article.text)}\t${splitPoint(article)}`
    })
    writeFileSync(articlesFile!, rows.join('\n'))
    const expanded = (query: string) =>
      [query, ...expand(query).map(({ target, weight }) => `${target} ${weight}`)]
        .map(line)
        .join('\t')
    // Two warm-up passes, then timed questions that are new, then all questions as they are for their hits.
    const queryLines = [
      ...[...before, ...before].map((query) => ` ${expanded(query)}`),
      ...timed.map((query) => `+${expanded(query)}`),
      ...[...timed, ...before].map((query) => `=${line(query)}`),
    ]
    writeFileSync(questionsFile!, queryLines.join('\n'))
    const index = join(directory, 'index')
    return await readStages(
      [index, articlesFile!, questionsFile!, String(hits), ...stages.map(String)],
      [...timed, ...before],
    )
  } catch (thrown) {
    return `no Lucene: ${(thrown as Error).message}`
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const line = (text: string) => text.replace(/[\t\r\n]/g, ' ')

/** Downloads the jars once with Maven. Returns the reason if that fails. */
function fetchJars(): string | undefined {
  if (existsSync(join(jars, 'complete'))) return undefined
  try {
    mkdirSync(jars, { recursive: true })
    execFileSync('java', ['-version'], { stdio: 'ignore' })
    const options = ['-DincludeScope=runtime', `-DoutputDirectory=${jars}`]
    const project = ['-f', join(home, 'pom.xml')]
    execFileSync('mvn', ['-q', '-B', ...project, copyDependencies, ...options], { stdio: 'ignore' })
    writeFileSync(join(jars, 'complete'), '')
    return undefined
  } catch (thrown) {
    return `no Lucene: Java and Maven could not fetch it (${(thrown as Error).message.split('\n')[0]})`
  }
}

async function readStages(args: string[], queries: readonly string[]) {
  const java = ['-XX:ActiveProcessorCount=1', '-XX:+UseSerialGC', '-Xmx3g', '-cp', `${jars}/*`]
  const child = spawn('java', [...java, join(home, 'Peer.java'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const stages = new Map<number, LuceneStage>()
  let nth = 0
  for await (const text of createInterface({ input: child.stdout })) {
    const [what, chunks, number, rest = ''] = text.split('\t')
    const size = Number(chunks)
    if (what === 'filled') {
      nth = 0
      const chunksASecond = (Number(number) / Number(rest)) * 1_000_000
      stages.set(size, { times: [], results: new Map(), chunksASecond })
      continue
    }
    const stage = stages.get(size)!
    if (what === 'timed') stage.times.push(Number(number) / 1000)
    else stage.results.set(queries[nth++]!, rest.trim().split(' ').filter(Boolean).map(Number))
  }
  const code = await ended
  return code === 0 ? stages : `no Lucene: it ended with ${code}`
}
