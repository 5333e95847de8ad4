import * as z from 'zod'
import type { Client } from '../../_kit/peer.ts'
import { imageTypes } from '../model/images.ts'
import type { Image, ModelRequest } from '../model/model.ts'
import type { NodeContext } from '../run/graph.ts'
import type { Skill } from '../skill.ts'
import { peerHeaders } from './load-context.ts'

/** Limits of one request: files whose type is read, images that are sent, and bytes of an image. */
const limits = { files: 20, images: 4, bytes: 3_750_000 }

const FileHead = z.object({ contentType: z.string(), size: z.int() })
const Images = z.array(z.object({ file_id: z.string(), media_type: z.string() }))

const filePath = (file_id: string) => `/api/v1/internal/files/${encodeURIComponent(file_id)}`

/**
 * Lists the newest images among the files of a conversation. The list is recorded, so that a repeated
 * attempt sends the same request. A file that cannot be read is left out.
 */
export async function listImages(
  files: Client,
  skill: Skill,
  file_ids: string[],
  context: NodeContext,
): Promise<Image[]> {
  const candidates = file_ids.slice(-limits.files)
  if (candidates.length === 0) return []
  const headers = peerHeaders(context)
  const readHead = async (file_id: string) => {
    const head = await files.request(FileHead, filePath(file_id), { headers }).catch(() => null)
    return head && imageTypes.has(head.contentType) && head.size <= limits.bytes
      ? [{ file_id, media_type: head.contentType }]
      : []
  }
  return context.span('tool', 'list_images', async (attributes) => {
    const request = { file_ids: candidates }
    const { answer, replayed } = await context.record(
      { kind: 'tool', skill: skill.name, name: 'list_images', request },
      async () => ({
        answer: (await Promise.all(candidates.map(readHead))).flat().slice(-limits.images),
      }),
    )
    if (replayed) attributes.recorded = true
    return Images.parse(answer)
  })
}

/** Returns a function that adds the bytes of the images to a request. Each file is read once. */
export function makeImageLoader(files: Client, context: NodeContext) {
  const loaded = new Map<string, Promise<string | undefined>>()

  async function readData(file_id: string): Promise<string | undefined> {
    try {
      const options = { headers: peerHeaders(context) }
      const response = await files.stream(`${filePath(file_id)}/content`, options)
      const bytes = new Uint8Array(await response.arrayBuffer())
      return bytes.length > limits.bytes ? undefined : toBase64(bytes)
    } catch {
      return undefined
    }
  }

  async function load(image: Image): Promise<Image> {
    const reading = loaded.get(image.file_id) ?? readData(image.file_id)
    loaded.set(image.file_id, reading)
    const data = await reading
    return data === undefined ? image : { ...image, data }
  }

  return async (request: ModelRequest): Promise<ModelRequest> => ({
    ...request,
    messages: await Promise.all(
      request.messages.map(async ({ images, ...message }) =>
        images ? { ...message, images: await Promise.all(images.map(load)) } : message,
      ),
    ),
  })
}

const charsPerPiece = 8_192

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += charsPerPiece)
    binary += String.fromCharCode(...bytes.subarray(at, at + charsPerPiece))
  return btoa(binary)
}
