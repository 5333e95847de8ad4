import { detectLanguage } from '../_shared/language.ts'
import type { Source, TableBlock, TableRow } from './document.ts'
import { form } from './document.ts'
import { blank, type DraftBasis, findOpponent } from './draft-basis.ts'
import { elementRows, fillIn, listArticles, storySource, trimExtension } from './shared-blocks.ts'
import { removeRequests } from './story-text.ts'

/** Rows of the official element forms, which claims and answers share. Always in Chinese. */

/** The section on the parties: the person first. Contact details that are unknown are filled in by hand. */
export function partyRows(basis: DraftBasis, own: string, other: string): TableRow[] {
  const { details } = basis
  const party = (label: string, name: string | undefined | null, contact: string, key: string) => ({
    cells: [
      label,
      [
        `姓名或名称：${name ?? blank.zh}`,
        `证件号码或统一社会信用代码：${fillIn}`,
        `住所地和联系电话：${contact}`,
      ].join('\n'),
    ],
    sources: [{ kind: 'fact', key } satisfies Source],
  })
  return [
    { section: '当事人信息' },
    party(own, details.client_name, details.client_contact || fillIn, 'drafting.client_name'),
    party(other, findOpponent(basis), details.opposing_contact || fillIn, 'intake.opposing_party'),
  ]
}

/** The section on facts and reasons: the story, the elements, the law and the evidence. */
export function factRows(basis: DraftBasis): TableRow[] {
  const { caseFile, items } = basis
  const story = caseFile.fields.what_happened
  // A court takes documents in Chinese only.
  const note =
    story && detectLanguage(story) === 'en' ? '\n（以上为陈述原文，提交时附中文译本。）' : ''
  const articles = listArticles(basis)
  return [
    { section: '事实和理由' },
    ...(story ? [{ cells: ['事实经过', removeRequests(story) + note], sources: storySource }] : []),
    ...elementRows(basis, 'zh'),
    ...(articles.lines.length > 0
      ? [{ cells: ['法律依据', articles.lines.join('\n')], sources: articles.sources }]
      : []),
    ...(items.length > 0
      ? [
          {
            cells: [
              '证据',
              [
                ...items.map(({ name }, at) => `${at + 1}. ${trimExtension(name)}`),
                '（详见证据清单）',
              ].join('\n'),
            ],
            sources: [...items.map(({ file_id }): Source => ({ kind: 'file', file_id })), ...form],
          },
        ]
      : []),
  ]
}

/** The table of an element form: a label and its content in each row. */
export const courtFormTable = (rows: TableRow[]): TableBlock => ({
  type: 'table',
  widths: [26, 74],
  labels: true,
  rows,
})
