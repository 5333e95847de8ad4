import { type DraftDocument, form } from './document.ts'
import { blank, type DraftBasis, wordDay } from './draft-basis.ts'
import { citationsTable, claimsTable, storyBlock } from './shared-blocks.ts'

/** Articles that a letter cites at most. */
const maxCitations = 3

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
  const { language, fields } = caseFile
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const opponent = details.opposing_name ?? fields.opposing_party ?? blank[language]
  const client = details.client_name ?? blank[language]
  const { key, title, filename } = letters[from]
  return {
    key,
    title: title[language],
    kind: key,
    filename: filename[language],
    blocks: [
      {
        type: 'paragraph',
        text: say(`致：${opponent}`, `To: ${opponent}`),
        sources: [{ kind: 'fact', key: 'intake.opposing_party' }],
      },
      ...(from === 'lawyer'
        ? [
            {
              type: 'paragraph' as const,
              text: say(
                `受${client}委托，就其与贵方之间的争议致函如下。委托人陈述：`,
                `On behalf of ${client}, I write to you about the dispute between you. My client states:`,
              ),
              sources: form,
            },
          ]
        : []),
      ...storyBlock(basis),
      {
        type: 'paragraph',
        text: say(
          '请在收到本函之日起七日内履行下列义务：',
          'Please perform the following within seven days of receipt:',
        ),
        sources: form,
      },
      claimsTable(basis, language),
      { type: 'heading', text: say('法律依据', 'Legal basis') },
      citationsTable(basis, language, maxCitations),
      {
        type: 'paragraph',
        text: say(
          '逾期未履行的，将依法主张权利。',
          'Otherwise the claims will be pursued in the way the law provides.',
        ),
        sources: form,
      },
      {
        type: 'paragraph',
        text: from === 'lawyer' ? say('承办律师（签名）：', 'Lawyer (signature):') : client,
        sources: form,
        align: 'right',
      },
      { type: 'paragraph', text: wordDay(today, language), sources: form, align: 'right' },
    ],
  }
}
