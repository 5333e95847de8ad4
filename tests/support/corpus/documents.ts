import { Document, Packer, Paragraph, Table, TableCell, TableRow } from 'docx'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import { encodePng, type Picture } from './picture.ts'
import { textEntry, type ZipEntry, zip } from './zip.ts'

/** Builds a PDF. A page is a text or a scanned picture. */
export async function pdf(pages: (string | Picture)[]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (const content of pages) {
    const page = document.addPage([400, 300])
    if (typeof content === 'string') page.drawText(content, { x: 40, y: 200, size: 14, font })
    else
      page.drawImage(await document.embedPng(encodePng(content)), {
        x: 20,
        y: 100,
        width: 360,
        height: 60,
      })
  }
  return document.save()
}

export async function docx(paragraphs: string[], cells: string[]): Promise<Uint8Array> {
  const document = new Document({
    sections: [
      {
        children: [
          ...paragraphs.map((text) => new Paragraph(text)),
          new Table({
            rows: [
              new TableRow({
                children: cells.map((text) => new TableCell({ children: [new Paragraph(text)] })),
              }),
            ],
          }),
        ],
      },
    ],
  })
  return new Uint8Array(await Packer.toBuffer(document))
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Builds a workbook with one sheet; `cells` is the XML of its rows. */
export function xlsx(cells: string, extra: ZipEntry[] = []): Uint8Array {
  return zip([
    textEntry(
      '[Content_Types].xml',
      `<Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${sheetType}.worksheet+xml"/></Types>`,
    ),
    textEntry(
      '_rels/.rels',
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    textEntry(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="借款" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    textEntry(
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    textEntry(
      'xl/worksheets/sheet1.xml',
      `<worksheet xmlns="${main}"><sheetData>${cells}</sheetData></worksheet>`,
    ),
    ...extra,
  ])
}

/** Builds a PDF from raw objects, for files that no library produces. */
export function rawPdf(objects: string[], trailer = ''): Uint8Array {
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`)
  return Uint8Array.from(
    `%PDF-1.7\n${body.join('')}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} ${trailer} >>\n%%EOF\n`,
    (character) => character.charCodeAt(0),
  )
}
