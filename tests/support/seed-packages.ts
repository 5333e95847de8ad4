import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const packagesDirectory = resolve('seed_packages')

export interface DataFile {
  /** Path relative to the package directory. */
  path: string
  records: any[]
}

/** Reads all JSON files below a directory of a package. */
export function readDataFiles(packageId: string, directory: string): DataFile[] {
  const root = join(packagesDirectory, packageId)
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const path = join(directory, name)
      return { path, records: JSON.parse(readFileSync(join(root, path), 'utf8')) }
    })
}

export const readManifest = (packageId: string) =>
  JSON.parse(readFileSync(join(packagesDirectory, packageId, 'manifest.json'), 'utf8'))

/** Data files that the items of a manifest reference. */
export function referencedFiles(manifest: any): string[] {
  return manifest.items
    .flatMap((item: any) => Object.values(item.config).flat())
    .flatMap((value: unknown) => /^\$\{PACKAGE_DIR\}\/(.+)$/.exec(String(value))?.[1] ?? [])
}
<<<<<<< HEAD

/** Reads the newest text of each article, keyed by `law article`. Returns the reason if the data is missing. */
export function readStatutes(): Map<string, string> | string {
  const file = resolve(process.env.LEGAL_SUITE_DATA ?? '../shared/data', 'statutes.jsonl.gz')
  if (!existsSync(file)) return 'LEGAL_SUITE_DATA names no directory with statutes.jsonl.gz'
  const editions = new Map<string, Map<string, string>[]>()
  for (const line of gunzipSync(readFileSync(file)).toString().split('\n').filter(Boolean)) {
    const { law, article, text } = JSON.parse(line)
    const all = editions.get(law) ?? [new Map()]
    if (all.at(-1)!.has(article)) all.push(new Map())
    all.at(-1)!.set(article, text)
    editions.set(law, all)
  }
  return new Map(
    [...editions].flatMap(([law, all]) =>
      [...all.reduce(mergeEditions)].map(([article, text]) => [`${law} ${article}`, text] as const),
    ),
  )
}

/** Merges editions. A much shorter later edition contains only the amended articles. */
const mergeEditions = (before: Map<string, string>, after: Map<string, string>) =>
  after.size * 2 > before.size ? after : new Map([...before, ...after])

/** Short names of judicial interpretations in running text. */
export const shortNames: Record<string, string> = {
  民诉法解释: '最高人民法院关于适用《民事诉讼法》的解释',
  诉讼时效规定: '最高人民法院关于审理民事案件适用诉讼时效制度若干问题的规定',
  民间借贷规定: '最高人民法院关于审理民间借贷案件适用法律若干问题的规定',
  担保制度解释: '最高人民法院关于适用《民法典》有关担保制度的解释',
  著作权民事纠纷解释: '最高人民法院关于审理著作权民事纠纷案件适用法律若干问题的解释',
  信息网络传播权规定: '最高人民法院关于审理侵害信息网络传播权民事纠纷案件适用法律若干问题的规定',
  商标民事纠纷解释: '最高人民法院关于审理商标民事纠纷案件适用法律若干问题的解释',
  知识产权案件管辖规定: '最高人民法院关于第一审知识产权民事、行政案件管辖的若干规定',
}

export interface Citation {
  where: string
  law: string
  article: string
  quote: string
}

/** Collects the `legal_basis` entries of a record at any depth. */
export function citationsOf(value: unknown, where: string): Citation[] {
  if (Array.isArray(value)) return value.flatMap((each) => citationsOf(each, where))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'legal_basis'
      ? (member as Citation[]).map((cited) => ({ ...cited, where }))
      : citationsOf(member, where),
  )
}
=======
>>>>>>> 09cd0c9 (seed_packages: bring the law up to 2026-11-15, and check every citation)
