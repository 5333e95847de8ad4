import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeRandom } from '../support/random.ts'

const words =
  '借款 本金 利息 合同 当事人 约定 履行 违约 责任 损害 赔偿 期限 通知 解除 担保 抵押 登记 证据 诉讼 时效 仲裁 管辖 人民法院 申请 执行'.split(
    ' ',
  )

/** Creates packages with the given number of records in a temporary directory. */
export function makePackages({ elements, documents }: { elements: number; documents: number }) {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-bench-packages-'))
  const random = makeRandom(8)
  const sentence = (length: number) =>
    `${Array.from({ length }, () => random.pick(words)).join('')}。`
  const list = <T>(length: number, make: (index: number) => T) =>
    Array.from({ length }, (_, index) => make(index))
  const put = (id: string, item: object, data: unknown) => {
    const manifest = { schema_version: 1, package_id: id, name: id, version: '2026-01-01' }
    const files = {
      'manifest.json': { ...manifest, items: [{ item_id: 'only', ...item }] },
      'data/data.json': data,
    }
    for (const [path, content] of Object.entries(files)) {
      const file = join(directory, id, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify(content))
    }
  }
  put(
    'structured',
    {
      kind: 'knowledge.seed.structured.import',
      config: { litigation_elements_json: 'data/data.json' },
    },
    list(elements, (index) => ({
      element_id: `element.${index}`,
      cause_of_action_code: `cause.${index % 200}`,
      name: sentence(4),
      description: sentence(40),
      order_num: index % 20,
      evidence_types: list(4, () => sentence(3)),
      questions: list(3, (n) => ({ question: sentence(10), field_key: `f.${n}`, required: true })),
      legal_basis: list(2, (n) => ({ law: sentence(5), article: `第${n + 1}条` })),
    })),
  )
  const articles = 40
  put(
    'documents',
    {
      kind: 'knowledge.seed.system_kb_documents.import',
      config: { kb: { name: 'sys_bench' }, documents_json: 'data/data.json' },
    },
    list(documents, (index) => ({
      document_id: `law-${index}`,
      doc_type: 'statute',
      title: sentence(4),
      content: list(articles, (n) => `第${n + 1}条 ${sentence(40)}`).join('\n'),
    })),
  )
  return {
    directory,
    rows: { structured: elements, documents: documents * articles },
    drop: () => rmSync(directory, { recursive: true, force: true }),
  }
}
