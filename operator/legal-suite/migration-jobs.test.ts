import { expect, test } from 'vitest'
import {
  eventually,
  names,
  type Staged,
  settleDelay,
  startReadySuite,
} from '../testing/fixtures.ts'
import { createPod, waiting } from '../testing/pods.ts'

const edit = (at: Staged, version: string) => at.patch('LegalSuite', 'demo', { spec: { version } })
const image = (job: any) => job.spec.template.spec.containers[0].image
const findJob = (at: Staged, version: string) =>
  at.list('Job').find((each) => image(each) === `legal-suite:${version}`)
const active = { status: { active: 1 } }

test('a migration that has not started is deleted when its version is withdrawn', async () => {
  const at = await startReadySuite()
  await edit(at, '2.0.0')
  await eventually(() => expect(findJob(at, '2.0.0')).toBeDefined())
  const job = findJob(at, '2.0.0')
  await at.patch('Job', job.metadata.name, active, 'status')
  await createPod(at, 'migrate', waiting('migrate', 'ImagePullBackOff'), job)
  await eventually(() => expect(at.ready()).toMatchObject({ reason: 'ImagePullBackOff' }))
  await edit(at, '1.2.3')
  // The image may appear later. The Job would then migrate the database of another version.
  await eventually(() => expect(findJob(at, '2.0.0')).toBeUndefined())
})

test('a migration that runs is not deleted when its version is withdrawn', async () => {
  const at = await startReadySuite()
  await edit(at, '2.0.0')
  await eventually(() => expect(findJob(at, '2.0.0')).toBeDefined())
  const job = findJob(at, '2.0.0')
  await at.patch('Job', job.metadata.name, active, 'status')
  await createPod(at, 'migrate', { phase: 'Running' }, job)
  await edit(at, '1.2.3')
  await eventually(() => expect(at.ready()?.status).toBe('True'))
  await settleDelay()
  expect(findJob(at, '2.0.0')).toBeDefined()
})

test('failed migrations do not accumulate while no version can be rolled out', async () => {
  const at = await startReadySuite()
  for (const version of ['2.0.0', '2.0.1', '2.0.2', '2.0.3']) {
    await edit(at, version)
    await eventually(() => expect(findJob(at, version)).toBeDefined())
    const conditions = [{ type: 'Failed', status: 'True' }]
    await at.patch('Job', findJob(at, version).metadata.name, { status: { conditions } }, 'status')
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'MigrationFailed' }))
  }
  // The Job of the running version stays, so that a revert does not migrate again.
  await eventually(() =>
    expect(at.list('Job').map(image).sort()).toEqual(['legal-suite:1.2.3', 'legal-suite:2.0.3']),
  )
})

test('completed migrations of versions that never rolled out do not accumulate', async () => {
  const at = await startReadySuite()
  for (let patch = 0; patch < 6; patch++) {
    await edit(at, `2.0.${patch}`)
    await eventually(() => expect(findJob(at, `2.0.${patch}`)).toBeDefined())
    await at.settle(/migrate/)
    await eventually(() => expect(at.ready()?.message).toContain('waiting for platform'))
  }
  await eventually(() => expect(names(at, 'Job')).toHaveLength(2))
  expect(findJob(at, '1.2.3')).toBeDefined()
})
