import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { binaries, nodeScript, script } from './local-scripts.ts'
import { findProvider, type Machine } from './provider.ts'

/** A machine with the given variables, files and commands. */
function buildMachine(has: {
  env?: Record<string, string>
  files?: string[]
  commands?: string[]
  isRoot?: boolean
}): Machine {
  return {
    env: has.env ?? {},
    hasFile: (path) => has.files?.includes(path) ?? false,
    succeeds: (...command) => has.commands?.includes(command.join(' ')) ?? false,
    isRoot: has.isRoot ?? false,
  }
}

const kubeconfig = { TEST_KUBECONFIG: '/kubeconfig' }
const assets = { KUBEBUILDER_ASSETS: '/assets' }
const envtest = ['/assets/etcd', '/assets/kube-apiserver']
const kind = ['kind version', 'docker info']
const all = {
  env: { ...kubeconfig, ...assets },
  files: [...envtest, script, nodeScript],
  commands: kind,
  isRoot: true,
}

test('the providers are preferred in the order existing, kind, envtest, local', () => {
  const find = (has: object) => findProvider({ tier: 'control-plane' }, buildMachine(has))
  expect(find(all)).toEqual({ provider: 'existing' })
  expect(find({ ...all, env: assets })).toEqual({ provider: 'kind' })
  expect(find({ ...all, env: assets, commands: [] })).toEqual({ provider: 'envtest' })
  expect(find({ ...all, env: {}, commands: [] })).toEqual({ provider: 'local' })
})

test('the current context of kubectl is not a provider', () => {
  const machine = buildMachine({ env: { KUBECONFIG: '/kubeconfig', HOME: '/root' } })
  for (const tier of ['control-plane', 'nodes'] as const)
    expect(findProvider({ tier }, machine)).toHaveProperty('reason')
})

test('kind without an engine that answers is not available, with podman it is', () => {
  const find = (...commands: string[]) =>
    findProvider({ tier: 'nodes', provider: 'kind' }, buildMachine({ commands }))
  expect(find('kind version')).toEqual({ reason: 'install kind and docker or podman' })
  expect(find('docker info')).toHaveProperty('reason')
  expect(find('kind version', 'podman info')).toEqual({ provider: 'kind' })
})

test('a folder of envtest without etcd is not available, and nodes never come from envtest', () => {
  const request = { tier: 'control-plane', provider: 'envtest' } as const
  const machine = buildMachine({ env: assets, files: ['/assets/kube-apiserver'] })
  expect(findProvider(request, machine)).toEqual({
    reason: 'set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver',
  })
  const complete = buildMachine({ env: assets, files: envtest })
  expect(findProvider({ tier: 'nodes' }, complete)).toHaveProperty('reason')
})

test('nodes of the scripts need root', () => {
  const request = { tier: 'nodes', provider: 'local' } as const
  expect(findProvider(request, buildMachine({ files: [nodeScript] }))).toHaveProperty('reason')
  const root = buildMachine({ files: [nodeScript], isRoot: true })
  expect(findProvider(request, root)).toEqual({ provider: 'local' })
})

test('a quick search accepts the scripts only with built binaries', () => {
  const names = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']
  const built = names.map((name) => join(binaries, name))
  const find = (files: string[]) =>
    findProvider({ tier: 'control-plane', quick: true }, buildMachine({ files }))
  expect(find([script, ...built])).toEqual({ provider: 'local' })
  expect(find([script, ...built.slice(1)])).toEqual({
    reason: expect.stringContaining(`build etcd in ${binaries}`),
  })
})

test('a requested provider that is not available is not replaced by another', () => {
  const machine = buildMachine({ ...all, env: assets })
  expect(findProvider({ tier: 'nodes', provider: 'existing' }, machine)).toEqual({
    reason: 'set TEST_KUBECONFIG to the kubeconfig of a test cluster',
  })
})

test('without a provider the command fails with one line that names what to install', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [resolve('tests/cluster/run.ts'), ...args], {
      encoding: 'utf8',
      env: { PATH: '' },
    })
  const { status, stdout, stderr } = run('--tier', 'nodes', '--provider', 'kind')
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toBe('no cluster for the tier nodes: install kind and docker or podman\n')
  expect(run('--tier', 'nodes', '--provider', 'kind', '--if-available').status).toBe(0)
  expect(run('--tier', 'cloud').status).toBe(2)
  expect(run('--provider', 'minikube').status).toBe(2)
})
