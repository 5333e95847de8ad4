import { loadProfiles, type Profile } from './profiles.ts'

interface Basis {
  law: string
  article: string
}

const burdens = {
  plaintiff: '原告 claimant',
  defendant: '被告 respondent',
}
const kinds: Record<string, string> = {
  denial: '否认 denial',
  objection: '抗辩 objection',
  rule_of_law: '法律规则 rule of law',
}
const positions: Record<string, string> = {
  plaintiff: '原告 claimant',
  defendant: '被告 respondent',
  either: '均可为原告 either',
}

const court = /^最高人民法院关于/

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')
const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')

/** Articles by law, each law once with the day from which its edition is in force. */
function articles(bases: Basis[], dates: Map<string, string>): string {
  const byLaw = new Map<string, Set<string>>()
  for (const { law, article } of bases) {
    byLaw.set(law, (byLaw.get(law) ?? new Set()).add(article))
  }
  return [...byLaw]
    .map(([law, all]) => `${law.replace(court, '')}（${dates.get(law)}）${[...all].join('、')}`)
    .join('；')
}

function section({ record, elements }: Profile): string {
  const editions = [...record.laws, ...record.interpretations]
  const dates = new Map<string, string>(
    editions.map(({ law, effective_from }: any) => [law, effective_from]),
  )
  const roleName = (role: string | undefined) => {
    const party = record.parties.find((each: any) => each.role === role)
    return party ? `${party.name} ${party.name_en}` : '任何原告 any claimant'
  }
  const need = ({ required, applies_when, applies_when_en }: any) => {
    const word = required ? '必要 required' : '视请求而定 by claim'
    return applies_when ? `${word}：${applies_when} (${applies_when_en})` : word
  }
  const elementRows = elements.map((element, index) => [
    String(index + 1),
    `${element.name}<br>${element.name_en}`,
    roleName(element.side),
    need(element),
    burdens[element.burden_of_proof as keyof typeof burdens],
    articles(element.legal_basis, dates),
  ])
  const defenceRows = elements.flatMap((element) =>
    element.defences.map((defence: any) => [
      element.name,
      `${defence.name}<br>${defence.name_en}`,
      kinds[defence.kind]!,
      defence.kind === 'objection' ? burdens[defence.burden_of_proof as keyof typeof burdens] : '—',
      articles(defence.legal_basis, dates),
    ]),
  )
  const parties = record.parties
    .map(({ name, name_en, position }: any) => `${name} ${name_en}（${positions[position]}）`)
    .join('；')
  const later = (record.later_texts ?? []).map(
    ({ title, number, effective_from, note }: any) =>
      `- ${title}${number ? `，${number}` : ''}，${effective_from ?? '施行日期待核 date to be checked'}。${note}`,
  )
  return [
    `## ${record.name} ${record.name_en}`,
    `核对日 as of ${record.as_of}。当事人 parties：${parties}。`,
    `时效 limitation：${record.limitation.basis}`,
    `管辖 jurisdiction：${record.jurisdiction_hint}`,
    '### 要件 Elements',
    table(
      [
        '',
        '要件 element',
        '请求方 side',
        '是否必要 need',
        '举证 burden',
        '依据 basis（施行日 in force since）',
      ],
      elementRows,
    ),
    '### 抗辩 Defences',
    table(['要件 element', '答辩 defence', '性质 kind', '举证 burden', '依据 basis'], defenceRows),
    ...(later.length > 0 ? ['### 待核对的新文本 Later texts', later.join('\n')] : []),
  ].join('\n\n')
}

/** docs/law.md: per cause the elements, burdens and articles with their dates. */
export function lawDocument(): string {
  const profiles = loadProfiles()
  const contents = profiles.map(({ record, elements }) => [
    record.name,
    record.name_en,
    `\`${record.code}\``,
    String(elements.length),
    String(record.interpretations.length),
  ])
  return `# 案由、要件与举证 Causes, elements and burdens

Made from \`seed_packages/knowledge_structured_seeds\` by \`npm run generate\`. A working aid, not legal advice.

- **要件 element**：请求成立须证明的事实。“必要”指该方的基本请求都要；“视请求而定”只在提出相应请求时需要。
  A fact that the claim needs. "By claim" elements belong to some claims only.
- **否认 denial**：争执对方须证明的事实，不产生举证责任。It contests a fact that the other side must prove, and shifts no burden.
- **抗辩 objection**：主张妨碍、消灭或排除权利的新事实，由所列的一方证明（民诉法解释第九十一条）。It brings new facts, which the named party proves.
- **法律规则 rule of law**：由法院适用，无须举证。The court applies it.
- 日期是所引文本的施行日；司法解释的名称省去“最高人民法院关于”。Dates are those from which the cited edition is in force; interpretations are named without their common beginning.

${table(['案由 cause', '', 'code', '要件 elements', '司法解释 interpretations'], contents)}

${profiles.map(section).join('\n\n')}
`
}
