import { describe, expect, test } from 'vitest'
import { type Edition, linkEditions, Status } from './edition.ts'

const edition = (
  title: string,
  effective_from: string,
  status: Edition['status'],
  repeals: string[] = [],
): Edition => ({ title, effective_from, effective_to: undefined, status, repeals })

describe('linkEditions', () => {
  test('an edition ends on the day before the next one, also if the next is not yet in force', () => {
    const ends = linkEditions([
      edition('中华人民共和国甲法', '2020-03-01', 'in_force'),
      edition('甲法（2010年修正）', '2010-01-01', 'amended'),
      edition('中华人民共和国甲法', '2030-01-01', 'not_yet_in_force'),
    ])
    expect(ends).toEqual(['2029-12-31', '2020-02-29', undefined])
  })

  test('a repealed law ends before the law that repeals it', () => {
    const ends = linkEditions([
      edition('中华人民共和国合约法', '1999-10-01', 'repealed'),
      edition('中华人民共和国新典', '2021-01-01', 'in_force', ['中华人民共和国合约法']),
    ])
    expect(ends).toEqual(['2020-12-31', undefined])
  })

  test('a repealed interpretation ends with its law', () => {
    const ends = linkEditions([
      edition('中华人民共和国合约法', '1999-10-01', 'repealed'),
      edition('关于适用《中华人民共和国合约法》的解释（一）', '1999-12-29', 'repealed'),
      edition('关于适用《中华人民共和国合约法》的解释（二）', '2009-05-13', 'in_force'),
      edition('新典', '2021-01-01', 'in_force', ['合约法']),
    ])
    expect(ends).toEqual(['2020-12-31', '2020-12-31', undefined, undefined])
  })

  test('a law in force that another text partly repeals stays open', () => {
    const ends = linkEditions([
      edition('乙法', '2000-01-01', 'in_force'),
      edition('丙决定', '2005-01-01', 'in_force', ['乙法']),
    ])
    expect(ends).toEqual([undefined, undefined])
  })

  test('a repealed law has an unknown end if no text states it', () => {
    expect(linkEditions([edition('丁规定', '1990-01-01', 'repealed')])).toEqual([undefined])
  })

  test('amendments of different years are no editions of one text', () => {
    const ends = linkEditions([
      edition('宪法修正案（1988年）', '1988-04-12', 'in_force'),
      edition('宪法修正案（1993年）', '1993-03-29', 'in_force'),
    ])
    expect(ends).toEqual([undefined, undefined])
  })
})

test('the words of the national database and of its mirror are the same status', () => {
  expect(
    ['有效', 'in force', 'in_force', '已废止', 'not yet in force'].map((s) => Status.parse(s)),
  ).toEqual(['in_force', 'in_force', 'in_force', 'repealed', 'not_yet_in_force'])
  expect(Status.safeParse('unclear').success).toBe(false)
})
