import { type DraftDocument, form } from './document.ts'
import { blank, type DraftBasis, wordDay } from './draft-basis.ts'
import { citationsTable, claimsTable, storyBlock } from './shared-blocks.ts'

/** Articles that a letter cites at most. */
const maxCitations = 3

/** The demand to the other side, in the language of the person. */
export function draftDemandLetter(basis: DraftBasis): DraftDocument {
  const { caseFile, details, today } = basis
  const { language, fields } = caseFile
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const opponent = details.opposing_name ?? fields.opposing_party ?? blank[language]
  const title = say('催告函', 'Demand letter')
  return {
    key: 'demand_letter',
    title,
    kind: 'demand_letter',
    filename: say('催告函.docx', 'demand-letter.docx'),
    blocks: [
      {
        type: 'paragraph',
        text: say(`致：${opponent}`, `To: ${opponent}`),
        sources: [{ kind: 'fact', key: 'intake.opposing_party' }],
      },
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
        text: details.client_name ?? blank[language],
        sources: form,
        align: 'right',
      },
      { type: 'paragraph', text: wordDay(today, language), sources: form, align: 'right' },
    ],
  }
}
