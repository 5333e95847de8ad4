import { afterEach } from 'vitest'
import { writeBundle } from './bundle.ts'

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await writeBundle(task.name)
})
