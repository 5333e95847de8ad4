import { describe, expect, test } from 'vitest'
import { splitIntoPoints } from './points.ts'
import { type CauseWithElements, hasPhrase, rankArticles } from './rank-causes.ts'
import { fuseHits } from './search-story.ts'

describe('splitIntoPoints', () => {
  const sentence = (n: number) => `第${n}句说的是一件三十个字左右的事情，对方始终没有按照约定付款。`

  test('a text of one sentence has no points', () => {
    expect(splitIntoPoints('对方欠钱不还怎么办？')).toEqual([])
    expect(splitIntoPoints('')).toEqual([])
  })

  test('short sentences are joined, and every sentence is in a point', () => {
    const points = splitIntoPoints([1, 2, 3, 4].map(sentence).join(''))
    expect(points).toEqual([sentence(1), sentence(2), sentence(3), sentence(4)].map(String))
    expect(splitIntoPoints('他借了钱。一直不还。现在搬走了找不到人。'.repeat(5)).join('')).toBe(
      '他借了钱。一直不还。现在搬走了找不到人。'.repeat(5),
    )
  })

  test('a long story has at most twelve points, from its beginning to its end', () => {
    const story = Array.from({ length: 100 }, (_, index) => sentence(index)).join('')
    const points = splitIntoPoints(story)
    expect(points).toHaveLength(12)
    expect(points[0]).toContain('第0句')
    expect(points.at(-1)).toMatch(/第9\d句/)
  })

  test('a long sentence without a full stop is split at commas', () => {
    expect(
      splitIntoPoints('对方先说好按月还款，后来又说没有钱，'.repeat(20)).length,
    ).toBeGreaterThan(2)
  })
})

const cause = (code: string, keywords: string[], article: string): CauseWithElements => ({
  profile: { code, name: `${code}纠纷`, aliases: [], keywords },
  elements: [
    {
      name: '要件',
      description: '借款已经交付给借款人',
      legal_basis: [{ law: '中华人民共和国民法典', article }],
      defences: [
        {
          name: '已经归还',
          description: '借款人已经归还借款',
          legal_basis: [{ law: '民法典', article: '第五百五十七条' }],
        },
      ],
    },
  ],
})

describe('rankArticles', () => {
  const causes = [
    cause('借贷', ['借条', '出借', '还款'], '第六百七十九条'),
    cause('租赁', ['租金', '押金'], '第七百零三条'),
  ]

  test('the articles of the named cause are found, of elements and defences', () => {
    const articles = rankArticles('他写了借条，约定还款，出借的借款交付后没有归还', causes, 10)
    expect(articles.map(({ law, article }) => `${law} ${article}`).sort()).toEqual([
      '民法典 557',
      '民法典 679',
    ])
  })

  test('a story without a word of a cause has no articles', () => {
    expect(rankArticles('今天天气很好', causes, 10)).toEqual([])
    expect(rankArticles('', causes, 10)).toEqual([])
  })

  test('two keywords alone name no cause', () => {
    expect(rankArticles('他付了押金和租金', causes, 10)).toEqual([])
  })

  test('cues of lay people name a cause', () => {
    const [loan, lease] = causes as [CauseWithElements, CauseWithElements]
    const cues = ['借了…给', '一直不还', '欠钱']
    const withCues = [{ ...loan, profile: { ...loan.profile, cues } }, lease]
    const story = '我去年借了五万块钱给同事，他欠钱一直不还。'
    expect(rankArticles(story, causes, 10)).toEqual([])
    expect(rankArticles(story, withCues, 10)).not.toEqual([])
  })
})

describe('hasPhrase', () => {
  test('an ellipsis stands for a few characters', () => {
    expect(hasPhrase('我借了五万块钱给同事', '借了…给')).toBe(true)
    expect(hasPhrase('借了又借了五万块钱，过了很久很久都没有消息，给', '借了…给')).toBe(false)
    expect(hasPhrase('借了给', '借了…给')).toBe(true)
    expect(hasPhrase('给他，借了', '借了…给')).toBe(false)
  })

  test('an asterisk stands for the ending of a word', () => {
    expect(hasPhrase('he borrowed money', 'borrow*')).toBe(true)
    expect(hasPhrase('he lent money', 'borrow*')).toBe(false)
  })
})

test('fused lists contain each chunk once, and a chunk of two lists ranks above one of one list', () => {
  const hit = (document_id: string) => ({
    ...{
      kb_id: 'k',
      document_id,
      title: '',
      doc_type: 'statute',
      chunk_index: 0,
      section_id: null,
    },
    ...{ content: '', metadata: {}, score: 1, matched_by: ['keyword' as const] },
  })
  const fused = fuseHits([
    { hits: [hit('a'), hit('b')], weight: 1 },
    { hits: [hit('b')], weight: 1 },
  ])
  expect(fused.map(({ document_id }) => document_id)).toEqual(['b', 'a'])
})
