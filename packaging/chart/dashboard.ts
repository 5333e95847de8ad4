interface Panel {
  title: string
  unit: string
  query: string
  legend: string
}

const suite = 'namespace="$namespace",service=~"$suite-.*"'
const rate = (metric: string, by: string, filter = '') =>
  `sum by (${by}) (rate(${metric}{${suite}${filter}}[5m]))`
const quantile = (metric: string, by: string) =>
  `histogram_quantile(0.95, sum by (le, ${by}) (rate(${metric}_bucket{${suite}}[5m])))`

const panels: Panel[] = [
  {
    title: 'Requests',
    unit: 'reqps',
    query: rate('http_requests_total', 'service'),
    legend: '{{service}}',
  },
  {
    title: 'Failed requests',
    unit: 'reqps',
    query: rate('http_requests_total', 'service, status', ',status=~"5.."'),
    legend: '{{service}} {{status}}',
  },
  {
    title: 'Request latency, 95th percentile',
    unit: 's',
    query: quantile('http_request_seconds', 'service'),
    legend: '{{service}}',
  },
  {
    title: 'Database latency, 95th percentile',
    unit: 's',
    query: quantile('db_query_seconds', 'service'),
    legend: '{{service}}',
  },
  {
    title: 'Requests between services that failed',
    unit: 'reqps',
    query: rate('upstream_requests_total', 'service, exported_service', ',status!~"2.."'),
    legend: '{{service}} → {{exported_service}}',
  },
  {
    title: 'Chat turns by outcome',
    unit: 'ops',
    query: rate('turns_total', 'outcome'),
    legend: '{{outcome}}',
  },
  {
    title: 'Engine runs by status',
    unit: 'ops',
    query: rate('engine_runs_total', 'status'),
    legend: '{{status}}',
  },
  {
    title: 'Jobs by status',
    unit: 'short',
    query: `sum by (kind, status) (jobs{${suite}})`,
    legend: '{{kind}} {{status}}',
  },
]

const variable = (name: string, query: string) => ({
  name,
  type: 'query',
  datasource: { type: 'prometheus' },
  query,
  refresh: 2,
})

/** The Grafana dashboard of a suite. */
export const dashboard = () => ({
  uid: 'legal-suite',
  title: 'Legal suite',
  schemaVersion: 39,
  tags: ['legal-suite'],
  time: { from: 'now-1h', to: 'now' },
  refresh: '30s',
  templating: {
    list: [
      variable('namespace', 'label_values(http_requests_total, namespace)'),
      variable(
        'suite',
        'label_values(kube_deployment_labels{namespace="$namespace"}, label_legalsuite_dev_suite)',
      ),
    ],
  },
  panels: panels.map(({ title, unit, query, legend }, index) => ({
    id: index + 1,
    type: 'timeseries',
    title,
    datasource: { type: 'prometheus' },
    gridPos: { x: (index % 2) * 12, y: Math.floor(index / 2) * 8, w: 12, h: 8 },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: 'A', expr: query, legendFormat: legend }],
  })),
})
