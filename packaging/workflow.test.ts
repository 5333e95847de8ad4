import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const files = globSync('.github/workflows/*.yml')

test.each(files)('%s pins every action by commit hash and only reads the repository', (file) => {
  const { permissions, jobs } = parse(readFileSync(file, 'utf8'))
  expect(permissions).toEqual({ contents: 'read' })
  const steps = Object.values<any>(jobs).flatMap((job) => job.steps)
  const actions = steps.flatMap(({ uses }) => uses ?? [])
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
})

test('the workflows run scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const texts = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const names = [...texts.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) expect(scripts).toHaveProperty([name])
})
