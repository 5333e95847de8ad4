import { wordDay } from '../_shared/word-fact.ts'
import { type Block, type DraftDocument, form } from './document.ts'
import { blank, type DraftBasis, findOpponent } from './draft-basis.ts'
import { claimAmount, claimName, claimSources, listArticles, storyBlock } from './shared-blocks.ts'

/** Articles that a letter cites at most. */
const maxCitations = 6

const letters = {
  demand: {
    key: 'demand_letter',
    title: { zh: '催告函', en: 'Demand letter' },
    filename: { zh: '催告函.docx', en: 'demand-letter.docx' },
  },
  lawyer: {
    key: 'lawyer_letter',
    title: { zh: '律师函', en: 'Lawyer’s letter' },
    filename: { zh: '律师函.docx', en: 'lawyer-letter.docx' },
  },
}

/**
 * The letter to the other side, in the language of the person: the demand of the person, or the letter that
 * a lawyer signs on their behalf.
 */
export function draftLetter(basis: DraftBasis, from: keyof typeof letters): DraftDocument {
  const { caseFile, details, today } = basis
  const { language } = caseFile
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const opponent = findOpponent(basis) ?? blank[language]
  const client = details.client_name ?? blank[language]
  const { key, title, filename } = letters[from]
  const line = (zh: string, en: string): Block => ({
    type: 'paragraph',
    text: say(zh, en),
    sources: form,
  })
  return {
    key,
    title: title[language],
    kind: key,
    filename: filename[language],
    language,
    blocks: [
      {
        type: 'paragraph',
        text: say(`致：${opponent}`, `To: ${opponent}`),
        sources: [{ kind: 'fact', key: 'intake.opposing_party' }],
        flush: true,
      },
      from === 'lawyer'
        ? line(
            `受${client}委托，就其与贵方之间的争议致函如下。委托人陈述：`,
            `On behalf of ${client}, I write to you about the dispute between you. My client states:`,
          )
        : line(
            '就我方与贵方之间的争议，现函告如下：',
            'I write to you about the dispute between us.',
          ),
      ...storyBlock(basis),
      line(
        '请在收到本函之日起七日内履行下列义务：',
        'Please perform the following within seven days of receipt:',
      ),
      ...claimLines(basis),
      ...articleLines(basis),
      line(
        '逾期未履行的，将依法主张权利，由此产生的费用由贵方承担。',
        'Otherwise the claims will be pursued in the way the law provides, at your cost.',
      ),
      line('特此函告。', 'Yours faithfully,'),
      {
        type: 'signature',
        lines: [
          from === 'lawyer'
            ? say('承办律师（签名）：＿＿＿＿＿＿', 'Lawyer (signature): ____________')
            : say(`发函人（签名或盖章）：${client}`, client),
          wordDay(today, language),
        ],
        sources: form,
      },
    ],
  }
}

/** The claims, numbered. */
function claimLines(basis: DraftBasis): Block[] {
  const { language } = basis.caseFile
  const { claims } = basis.calculation
  return claims.map((claim, index) => {
    const end = index < claims.length - 1 ? '；' : '。'
    const amount = claimAmount(claim, basis, language)
    const text = {
      zh: `${index + 1}. ${claimName(claim, 'zh')}${amount && `：${amount}`}${end}`,
      en: `${index + 1}. ${claimName(claim, 'en')}${amount && `: ${amount}`}`,
    }[language]
    return { type: 'paragraph', text, sources: claimSources(claim) }
  })
}

function articleLines(basis: DraftBasis): Block[] {
  const { language } = basis.caseFile
  const { lines, sources } = listArticles(basis, maxCitations)
  if (lines.length === 0) return []
  const text = {
    zh: `法律依据：${lines.join('、')}。`,
    en: `Legal basis: ${lines.join(', ')}.`,
  }[language]
  return [{ type: 'paragraph', text, sources }]
}
