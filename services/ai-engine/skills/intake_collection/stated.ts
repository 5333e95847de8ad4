import type { FieldKey, Fields } from './fields.ts'

/** Words that state a yes or no. The first entry of a field that matches counts. */
const statements: [key: FieldKey, value: boolean, pattern: RegExp][] = [
  [
    'written_contract',
    false,
    /(?:没有?|未|不)(?:[跟和与]我)?(?:签|订立)[^，。；]{0,6}(?:合同|协议)|\b(?:no|without an?) written\b|never signed an?\b[^.;]{0,20}\b(?:contract|agreement)/iu,
  ],
  [
    'written_contract',
    true,
    /签(?:了|订了?|过)[^，。；没未]{0,10}(?:合同|协议)|\bsigned an?\b[^.;]{0,20}\b(?:contract|agreement|lease)/iu,
  ],
  ['interest_agreed', false, /(?:没有?|未)约定[^，。；]{0,3}利息|无息|interest-free|no interest/iu],
  [
    'interest_agreed',
    true,
    /约定[^，。；]{0,6}(?:利息|利率)|年(?:利率|息)\s?\d|月(?:利率|息)\s?\d|\binterest (?:of|at) \d/iu,
  ],
  ['has_children', false, /没有?(?:孩子|小孩|子女)|无子女|no children/iu],
  [
    'has_children',
    true,
    /有[了一二两三四1-4]?个?(?:\d+岁的?)?(?:孩子|小孩|儿子|女儿)|(?:孩子|儿子|女儿)[^，。；]{0,3}\d+个?[月岁]|抚养权|have (?:an?|one|two|three|\d) (?:\w+[- ])?(?:son|daughter|child|kid)|\bcustody\b/iu,
  ],
  [
    'injured',
    true,
    /受伤|骨折|[撞打摔咬砸]伤|住院|致残|伤残|\binjured\b|\bbroke my\b|fractur|hospitali[sz]ed/iu,
  ],
]

/** Reads the yes and no that a text states. */
export function readStatements(text: string): Fields {
  const found: Fields = {}
  for (const [key, value, pattern] of statements)
    if (found[key] === undefined && pattern.test(text)) Object.assign(found, { [key]: value })
  return found
}
