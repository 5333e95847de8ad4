import { expect, test } from 'vitest'
import { staysWithNext } from './block-order.ts'
import { form } from './document.ts'
import { courtClosing } from './shared-blocks.ts'

test('the closing of a document for a court stays on one page, and the text before it may break', () => {
  const blocks = [
    { type: 'paragraph' as const, text: '正文', sources: form },
    ...courtClosing('海淀区人民法院', '具状人：李四', '2026-11-16'),
  ]
  expect(blocks.map((_, index) => staysWithNext(blocks, index))).toEqual([false, true, true, false])
})
