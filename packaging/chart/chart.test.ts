import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { reservedVariables } from '../../operator/api/service-spec.ts'
import { fullSpec, minimalSpec } from '../../operator/testing/suites.ts'
import { suiteRules } from '../../tests/cluster/rules.ts'
import { dashboard } from './dashboard.ts'
import { chartFolder, renderChart, runHelm, withoutHelm } from './testing/helm.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const { version } = JSON.parse(read('package.json'))
const charts = ['legal-suite', 'legal-suite-operator']
const skipped = withoutHelm ? ` (skipped: ${withoutHelm})` : ''

test.each(charts)('chart %s has the version of the package', (chart) => {
  const metadata = parse(read(`charts/${chart}/Chart.yaml`))
  expect([metadata.version, metadata.appVersion]).toEqual([version, version])
})

test('the chart refuses the variables that the operator reserves', () => {
  const template = read('charts/legal-suite/templates/_validate.tpl')
  const [, names] = /\$reserved := list (.*) -}}/.exec(template)!
  expect(names!.split(' ').map((name) => JSON.parse(name))).toEqual([...reservedVariables])
})

test('every metric of the dashboard is one that the services report', () => {
  const sources = globSync('services/**/*.ts', { cwd: root }).map(read).join('\n')
  const queries = dashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const metrics = queries.flatMap((query) => /([a-z_]+)\{/.exec(query)![1]!)
  expect(metrics.length).toBeGreaterThan(5)
  for (const metric of metrics)
    expect(sources, metric).toContain(`'${metric.replace(/_bucket$/, '')}'`)
})

describe.skipIf(withoutHelm)(`charts${skipped}`, () => {
  test.each(charts)('helm lint finds no error in %s', (chart) => {
    expect(runHelm('lint', '--strict', chartFolder(chart))).toContain('0 chart(s) failed')
  })

  test('the defaults of the chart render a suite with its own database', () => {
    const kinds = renderChart('legal-suite', {}).map(
      ({ kind, metadata }) => `${kind}/${metadata.name}`,
    )
    expect(kinds).toContain('StatefulSet/demo-postgres')
    expect(kinds).toContain('Pod/demo-test')
    expect(kinds).not.toContain('Deployment/demo-gateway')
  })

  test('a value that no field has is refused with its name', () => {
    const render = (values: object) => () =>
      renderChart('legal-suite', { ...minimalSpec, ...values })
    expect(render({ replica: 2 })).toThrow('replica')
    expect(render({ services: { memory: { replicas: 'two' } } })).toThrow('replicas')
    expect(render({ services: { unknown: {} } })).toThrow('unknown')
  })

  test.each(suiteRules.filter(([, message]) => !message.startsWith('unknown service')))(
    '%s: %s',
    (_path, message, bad) => {
      expect(() => renderChart('legal-suite', bad)).toThrow(
        message.replace('set by the operator', 'is set by'),
      )
    },
  )

  test('the dashboard is a ConfigMap for the sidecar of Grafana', () => {
    const values = { ...fullSpec, paused: undefined, dashboards: { enabled: true } }
    const map = renderChart('legal-suite', values).find(({ kind }) => kind === 'ConfigMap') as any
    expect(map.metadata.labels.grafana_dashboard).toBe('1')
    expect(JSON.parse(map.data['legal-suite.json'])).toEqual(dashboard())
  })
})

describe.skipIf(withoutHelm)(`chart of the operator${skipped}`, () => {
  const render = (values: object = {}) => renderChart('legal-suite-operator', values) as any[]
  const rules = parse(read('operator/deploy/2-role.yaml').split('\n---\n')[0]!).rules
  const find = (objects: any[], kind: string) => objects.filter((each) => each.kind === kind)

  test('the CRDs are those of the operator and are kept when the release is uninstalled', () => {
    const definitions = find(render(), 'CustomResourceDefinition')
    const files = ['legalsuites', 'seedpackageapplies'].map((name) =>
      parse(read(`crds/${name}.yaml`)),
    )
    expect(definitions.map(({ spec }) => spec)).toEqual(files.map(({ spec }) => spec))
    for (const { metadata } of definitions)
      expect(metadata.annotations['helm.sh/resource-policy']).toBe('keep')
    expect(find(render({ crds: { enabled: false } }), 'CustomResourceDefinition')).toEqual([])
  })

  test('each watched namespace gets the Role of operator/deploy', () => {
    const objects = render({ watch: { namespaces: ['one', 'two'] } })
    const roles = find(objects, 'Role').filter(({ metadata }) => !metadata.name.endsWith('-leader'))
    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['one', 'two'])
    for (const role of roles) expect(role.rules).toEqual(rules)
    const bindings = find(objects, 'RoleBinding')
    expect(bindings).toHaveLength(3)
    for (const { subjects } of bindings) expect(subjects[0].namespace).toBe('legal')
    expect(find(objects, 'Deployment')[0].spec.template.spec.containers[0].env).toEqual([
      { name: 'WATCH_NAMESPACE', value: 'one,two' },
    ])
  })

  test('with scope Cluster it has a ClusterRole with the same rules', () => {
    const objects = render({ watch: { scope: 'Cluster' } })
    expect(find(objects, 'ClusterRole')[0].rules).toEqual(rules)
    const [binding] = find(objects, 'ClusterRoleBinding')
    expect(binding.roleRef.name).toBe(find(objects, 'ClusterRole')[0].metadata.name)
    expect(find(objects, 'Role')).toHaveLength(1)
    expect(JSON.stringify(find(objects, 'Deployment'))).toContain('"value":"*"')
  })

  test('the Deployment is the one of operator/deploy with the image of the values', () => {
    const [deployment] = find(render({ image: 'example.com/suite', version: '9' }), 'Deployment')
    const [shipped] = read('operator/deploy/4-deployment.yaml')
      .split('\n---\n')
      .map((text) => parse(text))
    const { image, env, ...container } = deployment.spec.template.spec.containers[0]
    expect(image).toBe('example.com/suite:9')
    expect({ ...container, image: 'legal-suite:0.1.0' }).toEqual(
      shipped.spec.template.spec.containers[0],
    )
    expect(env).toHaveLength(1)
  })
})
