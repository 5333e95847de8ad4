import { hash32 } from '../../services/_kit/hash.ts'
import { tokenize } from '../../services/_kit/tokenize.ts'
import { listen } from '../../services/_run/listen.ts'

type Behaviour = 'answer' | 'error' | 'garbage' | 'nothing' | 'refuse'

export const dims = 256

/** Embeds a text by feature hashing of its tokens: texts that share tokens are similar. */
export function embedText(text: string, size = dims): number[] {
  const vector = new Array<number>(size).fill(0)
  for (const word of tokenize(text)) {
    const hash = hash32(word)
    vector[hash % size]! += hash & 0x10000 ? 1 : -1
  }
  return vector
}

/** An OpenAI-compatible embedding server with configurable behaviour. */
export async function embeddingServer() {
  let behaviour: Behaviour = 'answer'
  const inputs: string[] = []
  let size = dims
  const responses: Record<Behaviour, (input: string[]) => Response> = {
    answer: (input) =>
      Response.json({
        data: input.map((text, index) => ({ index, embedding: embedText(text, size) })).reverse(),
      }),
    error: () => new Response('no', { status: 500 }),
    garbage: () => new Response('<html>'),
    nothing: () => Response.json({ data: [] }),
    refuse: () => new Response('no', { status: 401 }),
  }
  const server = await listen(
    async (request) => {
      if (request.method === 'HEAD') return new Response()
      const { input } = (await request.json()) as { input: string[] }
      inputs.push(...input)
      if (input.some((text) => text.includes('indigestible'))) {
        return new Response('too long', { status: 400 })
      }
      return responses[behaviour](input)
    },
    0,
    '127.0.0.1',
  )
  return {
    variables: {
      OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
      OPENAI_API_KEY: 'key',
      KNOWLEDGE_EMBEDDING_MODEL: 'words',
      KNOWLEDGE_EMBEDDING_DIMS: String(dims),
    },
    behave(next: Behaviour) {
      behaviour = next
    },
    /** Sets the size of the vectors of later responses. */
    setDimensions(next = dims) {
      size = next
    },
    /** Returns and clears the recorded input texts. */
    takeInputs: () => inputs.splice(0),
    close: () => server.close(0),
  }
}
