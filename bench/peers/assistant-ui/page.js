import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useLocalRuntime,
} from '@assistant-ui/react'
import { MarkdownTextPrimitive } from '@assistant-ui/react-markdown'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'

/** Streams the answer. The text changes once for each piece that the network delivers, not for each token. */
const model = {
  async *run({ abortSignal }) {
    const response = await fetch('/tokens', { method: 'POST', signal: abortSignal })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop()
      for (const line of lines) text += JSON.parse(line)
      yield { content: [{ type: 'text', text }] }
    }
  },
}

const Text = () => h(MarkdownTextPrimitive)
const parts = { Text }
const Message = () =>
  h(MessagePrimitive.Root, null, h(MessagePrimitive.Parts, { components: parts }))
const messages = { UserMessage: Message, AssistantMessage: Message }

function Chat({ initialMessages }) {
  const runtime = useLocalRuntime(model, { initialMessages })
  return h(
    AssistantRuntimeProvider,
    { runtime },
    h(
      ThreadPrimitive.Root,
      null,
      h(
        ThreadPrimitive.Viewport,
        { style: { height: '700px', overflowY: 'auto' } },
        h(ThreadPrimitive.Messages, { components: messages }),
      ),
      h(
        ComposerPrimitive.Root,
        null,
        h(ComposerPrimitive.Input, { 'aria-label': 'Message' }),
        h(ComposerPrimitive.Send, null, 'Send'),
      ),
    ),
  )
}

const thread = await (await fetch('/thread')).json()
const initialMessages = thread.map(({ role, content }) => ({
  role: role === 'USER' ? 'user' : 'assistant',
  content: [{ type: 'text', text: content }],
}))
createRoot(document.querySelector('#app')).render(h(Chat, { initialMessages }))
