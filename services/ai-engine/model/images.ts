import type { Image, Message, ModelRequest } from './model.ts'

/** Image types that all providers accept. */
export const imageTypes = new Set(['image/jpeg', 'image/png', 'image/webp'])

/** Estimated tokens of an image. Providers count between 85 and 1,600, depending on its size. */
export const imageTokens = 1_600

/** Adds images to the last message of the person. */
export function attachImages(messages: Message[], images: Image[]): Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (images.length === 0 || last < 0) return messages
  return messages.map((message, at) => (at === last ? { ...message, images } : message))
}

/** Removes images, for a model that does not accept them. */
export const withoutImages = (request: ModelRequest): ModelRequest => ({
  ...request,
  messages: request.messages.map(({ images: _, ...message }) => message),
})

/** Returns the images of a message whose bytes are loaded. */
export const loadedImages = (images: Image[] = []) =>
  images.flatMap(({ media_type, data }) => (data === undefined ? [] : [{ media_type, data }]))
