import { PNG } from 'pngjs'
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import { rejectHuge } from './image.ts'
import {
  type Budget,
  type ExtractedText,
  limits,
  passwordProtected,
  UnreadableFile,
} from './limits.ts'
import type { Recognize } from './ocr.ts'

type Document = Awaited<ReturnType<typeof getDocumentProxy>>
type Page = Awaited<ReturnType<Document['getPage']>>

/** Extracts the text layer of each page. Pages without one are read by OCR from their images. */
export async function extractPdf(
  bytes: Uint8Array,
  recognize: Recognize,
  budget: Budget,
): Promise<ExtractedText> {
  const pdf = await openPdf(bytes)
  if (pdf.numPages > limits.pages) {
    throw new UnreadableFile(
      `The document has ${pdf.numPages} pages; the limit is ${limits.pages}.`,
    )
  }
  const pages: string[] = []
  let [characters, recognized, truncated] = [0, 0, false]
  // pdf.js leaves out an image beyond `maxImageSize` and only writes a warning.
  console.warn = (warning: unknown) => {
    truncated ||= String(warning).includes('Image exceeded maximum allowed size')
  }
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    let text = await readTextLayer(page)
    if (text === '' && recognized < limits.recognizedPages && Date.now() < budget.until) {
      const images = await loadImages(page)
      recognized += images.length > 0 ? 1 : 0
      text = await recognizeAll(images, recognize)
    } else if (text === '') {
      truncated ||= (await loadImages(page)).length > 0
    }
    pages.push(text)
    characters += text.length
    page.cleanup()
    if (characters > limits.characters) break
  }
  return { text: pages.join('\f'), pages: pdf.numPages, truncated }
}

async function openPdf(bytes: Uint8Array): Promise<Document> {
  try {
    return await getDocumentProxy(bytes, {
      disableFontFace: true,
      useSystemFonts: false,
      maxImageSize: limits.pixels,
      verbosity: 1,
    })
  } catch (thrown) {
    if ((thrown as Error).name === 'PasswordException') throw passwordProtected()
    throw new UnreadableFile('The PDF is damaged.')
  }
}

async function readTextLayer(page: Page): Promise<string> {
  const { items } = await page.getTextContent()
  const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
  return text.join('').trim()
}

interface PageImage {
  width: number
  height: number
  data: Uint8Array
}

/** Smaller images are decoration. */
const minImageSide = 32

async function loadImages(page: Page): Promise<PageImage[]> {
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await page.getOperatorList()
  const names = fnArray.flatMap((operation, index) =>
    operation === OPS.paintImageXObject ? [String(argsArray[index][0])] : [],
  )
  const images: PageImage[] = []
  for (const name of new Set(names)) {
    const objects = name.startsWith('g_') ? page.commonObjs : page.objs
    const image = await new Promise<PageImage | null>((resolve) => objects.get(name, resolve))
    if (image?.data && Math.min(image.width, image.height) >= minImageSide) images.push(image)
  }
  return images
}

async function recognizeAll(images: PageImage[], recognize: Recognize): Promise<string> {
  const texts: string[] = []
  for (const image of images) texts.push(await recognize(toPng(image)))
  return texts.join('\n').trim()
}

/**
 * Encodes an image as PNG. The number of samples per pixel tells bitmap, grey, RGB and RGBA apart.
 */
function toPng({ width, height, data }: PageImage): Uint8Array {
  rejectHuge(width, height)
  const png = new PNG({ width, height })
  const samples = Math.floor(data.length / (width * height))
  const stride = Math.ceil(width / 8)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const grey = samples === 0 ? ((data[y * stride + (x >> 3)]! >> (7 - (x & 7))) & 1) * 255 : 0
      for (let color = 0; color < 3; color++) {
        png.data[at * 4 + color] =
          samples === 0 ? grey : data[at * samples + (samples >= 3 ? color : 0)]!
      }
      png.data[at * 4 + 3] = 255
    }
  }
  return PNG.sync.write(png)
}
