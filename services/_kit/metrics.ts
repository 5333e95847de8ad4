type Labels = Record<string, string>

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Histogram = { counts: number[]; sum: number; count: number }

/** Counters, gauges and latency histograms in the Prometheus text format, on any runtime. */
export interface Metrics {
  count(metric: string, labels: Labels, by?: number): void
  gauge(metric: string, labels: Labels, value: number): void
  /** Observes a duration in milliseconds; the histogram is in seconds. */
  time(metric: string, labels: Labels, milliseconds: number): void
  text(): string
}

export function makeMetrics(): Metrics {
  const counters = new Map<string, Series<{ value: number }>>()
  const gauges = new Map<string, Series<{ value: number }>>()
  const histograms = new Map<string, Series<Histogram>>()

  return {
    count(metric, labels, by = 1) {
      seriesValue(counters, metric, labels, zero).value += by
    },
    gauge(metric, labels, value) {
      seriesValue(gauges, metric, labels, zero).value = value
    },
    time(metric, labels, milliseconds) {
      const histogram = seriesValue(histograms, metric, labels, empty)
      const seconds = milliseconds / 1000
      let bucket = 0
      while (bucket < buckets.length && seconds > buckets[bucket]!) bucket++
      if (bucket < buckets.length) histogram.counts[bucket]!++
      histogram.sum += seconds
      histogram.count++
    },
    text() {
      const blocks = [
        ...render(counters, 'counter', plainLines),
        ...render(gauges, 'gauge', plainLines),
        ...render(histograms, 'histogram', histogramLines),
      ]
      return `${blocks.sort().join('\n')}\n`
    },
  }
}

const zero = () => ({ value: 0 })
const empty = (): Histogram => ({ counts: buckets.map(() => 0), sum: 0, count: 0 })

/** Values of one metric by label values. Labels are rendered only when the metrics are read. */
type Series<T> = Map<string, { labels: Labels; value: T }>

function seriesValue<T>(
  all: Map<string, Series<T>>,
  metric: string,
  labels: Labels,
  begin: () => T,
): T {
  let key = ''
  for (const label in labels) key += `${labels[label]}\n`
  const existing = all.get(metric)?.get(key)
  if (existing) return existing.value
  const value = begin()
  const series = all.get(metric) ?? new Map()
  all.set(metric, series.set(key, { labels, value }))
  return value
}

type Write<T> = (metric: string, labels: string, value: T) => string[]

const render = <T>(all: Map<string, Series<T>>, type: string, write: Write<T>) =>
  Array.from(all, ([metric, series]) =>
    [
      `# TYPE ${metric} ${type}`,
      ...[...series.values()].flatMap(({ labels, value }) =>
        write(metric, renderLabels(labels), value),
      ),
    ].join('\n'),
  )

const plainLines: Write<{ value: number }> = (metric, labels, { value }) => [
  `${metric}${labels && `{${labels}}`} ${value}`,
]

function histogramLines(metric: string, labels: string, { counts, sum, count }: Histogram) {
  const before = labels && `${labels},`
  let total = 0
  const bounds = buckets.map((bound, index) => {
    total += counts[index]!
    return `${metric}_bucket{${before}le="${bound}"} ${total}`
  })
  return [
    ...bounds,
    `${metric}_bucket{${before}le="+Inf"} ${count}`,
    `${metric}_sum${labels && `{${labels}}`} ${sum}`,
    `${metric}_count${labels && `{${labels}}`} ${count}`,
  ]
}

const renderLabels = (labels: Labels) => {
  let text = ''
  for (const label in labels) text += `${text && ','}${label}="${escapeLabel(labels[label]!)}"`
  return text
}

const escapeLabel = (value: string) =>
  /["\\\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value
