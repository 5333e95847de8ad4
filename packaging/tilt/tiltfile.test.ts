import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const repository = resolve(import.meta.dirname, '../..')
const python = process.env.STARLARK_PYTHON ?? 'python3'
const isMissing = spawnSync(python, ['-c', 'import starlark']).status !== 0
const reason = isMissing ? ' (skipped: the Python package starlark-pyo3 is not installed)' : ''

interface Call {
  name: string
  args: any[]
  kwargs: Record<string, any>
}

/** Evaluates the Tiltfile. Returns the calls of the functions of Tilt. */
function evaluate(): Call[] {
  const script = join(import.meta.dirname, 'testing/evaluate.py')
  const { stdout, stderr } = spawnSync(python, [script, 'Tiltfile'], {
    cwd: repository,
    encoding: 'utf8',
  })
  if (!stdout) throw new Error(stderr)
  return JSON.parse(stdout)
}

describe.skipIf(isMissing)(`Tiltfile${reason}`, () => {
  const calls = isMissing ? [] : evaluate()
  const find = (name: string) => calls.filter((call) => call.name === name)
  const resources = [...find('k8s_resource'), ...find('local_resource')].map(
    ({ args, kwargs }) => ({
      name: args[0] ?? kwargs.new_name,
      dependencies: kwargs.resource_deps ?? [],
      labels: kwargs.labels,
    }),
  )

  test('resources start in order: definitions, operator, suite, gateway', () => {
    expect(resources).toEqual([
      { name: 'definitions', dependencies: [], labels: ['operator'] },
      { name: 'legal-suite-operator', dependencies: ['definitions'], labels: ['operator'] },
      { name: 'demo', dependencies: ['legal-suite-operator'], labels: ['suite'] },
      { name: 'ready', dependencies: ['demo'], labels: ['suite'] },
      { name: 'gateway', dependencies: ['ready'], labels: ['suite'] },
    ])
  })

  test('a changed source is copied into the pods, and other changes build the image', () => {
    const [services, operator] = find('custom_build')
    expect(services!.args[1]).toContain('--target dev --tag $EXPECTED_REF')
    const steps = services!.kwargs.live_update.map(({ call, args }: any) => [call, ...args])
    expect(steps).toEqual([
      ['fall_back_on', expect.arrayContaining(['package-lock.json', 'Dockerfile'])],
      ['sync', 'services', '/tmp/app/services'],
      ['sync', 'seed_packages', '/tmp/app/seed_packages'],
    ])
    // Tilt refuses a step for a path that it does not watch.
    for (const [, path] of steps.slice(1)) expect(services!.kwargs.deps).toContain(path)
    expect(operator!.kwargs.live_update).toBeUndefined()
    expect(operator!.kwargs.deps).not.toContain('services')
  })

  test('the folder that changes are copied to is the one that services run from', () => {
    const wrapper = readFileSync(join(repository, 'packaging/image/dev/node'), 'utf8')
    expect(wrapper).toContain('cd /tmp/app && exec /usr/local/bin/node --watch')
    expect(readFileSync(join(repository, 'Dockerfile'), 'utf8')).toContain('AS dev')
  })

  test('Tilt writes the image into the fields of the LegalSuite', () => {
    const [{ args, kwargs }] = find('k8s_kind') as [Call]
    expect(args).toEqual(['LegalSuite'])
    expect(kwargs.image_object).toEqual({
      json_path: '{.spec}',
      repo_field: 'image',
      tag_field: 'version',
    })
    const { kind, apiVersion, metadata, spec } = parse(
      readFileSync(join(repository, find('k8s_yaml')[1]!.args[0]), 'utf8'),
    )
    expect([kind, apiVersion, metadata.name]).toEqual(['LegalSuite', kwargs.api_version, 'demo'])
    expect(spec.image).toBe(find('custom_build')[0]!.args[0])
  })

  test('every watched path exists', () => {
    const paths = find('custom_build').flatMap(({ kwargs }) => kwargs.deps)
    expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([])
  })

  test('buttons plan and apply seeds', () => {
    expect(find('cmd_button').map(({ args, kwargs }) => [args[0], kwargs.resource])).toEqual([
      ['seed-plan', 'demo'],
      ['seed-apply', 'demo'],
    ])
  })
})
