import { AlignmentType, type IStylesOptions } from 'docx'
import type { Language } from '../_shared/language.ts'

const latin = { ascii: 'Times New Roman', hAnsi: 'Times New Roman', cs: 'Times New Roman' }
/** Typefaces of Chinese documents: Song for the text, Hei for headings. */
const fonts = {
  heading: { ...latin, eastAsia: 'SimHei' },
  text: { ...latin, eastAsia: 'SimSun' },
}

/** Names and classes of the typefaces, by which a word processor without them chooses others. */
export const fontTable = `<?xml version="1.0" encoding="UTF-8"?>
<w:fonts xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
${[
  ['SimSun', '宋体', '02010600030101010101', '86', 'roman'],
  ['SimHei', '黑体', '02010609060101010101', '86', 'modern'],
  ['Times New Roman', 'Liberation Serif', '02020603050405020304', '00', 'roman'],
]
  .map(
    ([name, alternative, panose, charset, family]) =>
      `<w:font w:name="${name}"><w:altName w:val="${alternative}"/><w:panose1 w:val="${panose}"/><w:charset w:val="${charset}"/><w:family w:val="${family}"/></w:font>`,
  )
  .join('\n')}
</w:fonts>`

/** Sizes in half points. */
const sizes = { title: 40, heading: 28, text: 24, table: 21 }

/** Margins of an A4 page in twips: 3.0, 2.6, 2.6 and 2.8 cm. */
export const margins = { top: 1_701, right: 1_474, bottom: 1_474, left: 1_587 }
/** Width of A4 without the margins, in twips. */
export const textWidth = 11_906 - margins.left - margins.right

/** Styles of the documents by role. The text of a Chinese paragraph starts two characters in. */
export const documentStyles = (language: Language): IStylesOptions => ({
  default: {
    document: {
      run: {
        font: fonts.text,
        size: sizes.text,
        language: { value: 'en-US', eastAsia: 'zh-CN' },
      },
    },
    title: {
      run: { font: fonts.text, size: sizes.title, bold: true, color: '000000' },
      paragraph: { alignment: AlignmentType.CENTER, spacing: { before: 120, after: 200 } },
    },
    heading1: {
      run: { font: fonts.heading, size: sizes.heading, bold: true, color: '000000' },
      paragraph: { keepNext: true, spacing: { before: 280, after: 140 } },
    },
  },
  paragraphStyles: [
    {
      id: 'Text',
      name: 'Text',
      basedOn: 'Normal',
      quickFormat: true,
      paragraph: {
        alignment: language === 'zh' ? AlignmentType.BOTH : AlignmentType.LEFT,
        spacing: { after: 100, line: 360 },
        ...(language === 'zh' && { indent: { firstLine: 2 * (sizes.text / 2) * 20 } }),
      },
    },
    {
      id: 'Flush',
      name: 'Flush',
      basedOn: 'Normal',
      paragraph: { spacing: { after: 100, line: 360 } },
    },
    {
      id: 'Cell',
      name: 'Cell',
      basedOn: 'Normal',
      run: { size: sizes.table },
      paragraph: { spacing: { before: 40, after: 40, line: 290 } },
    },
  ],
})
