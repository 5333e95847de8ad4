type Labels = Record<string, string>

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Histogram = { counts: number[]; sum: number; count: number }

/** Counters, gauges and latency histograms in Prometheus' text form, on any runtime. */
export interface Metrics {
  count(metric: string, labels: Labels, by?: number): void
  gauge(metric: string, labels: Labels, value: number): void
  /** Observes a duration, given in milliseconds, kept in seconds. */
  time(metric: string, labels: Labels, milliseconds: number): void
  text(): string
}

export function makeMetrics(): Metrics {
  const help = new Map<string, 'counter' | 'gauge' | 'histogram'>()
  const numbers = new Map<string, Map<string, number>>()
  const histograms = new Map<string, Map<string, Histogram>>()

  const series = <T>(all: Map<string, Map<string, T>>, metric: string) => {
    const found = all.get(metric) ?? new Map<string, T>()
    all.set(metric, found)
    return found
  }

  return {
    count(metric, labels, by = 1) {
      help.set(metric, 'counter')
      const values = series(numbers, metric)
      const key = rendered(labels)
      values.set(key, (values.get(key) ?? 0) + by)
    },
    gauge(metric, labels, value) {
      help.set(metric, 'gauge')
      series(numbers, metric).set(rendered(labels), value)
    },
    time(metric, labels, milliseconds) {
      help.set(metric, 'histogram')
      const values = series(histograms, metric)
      const key = rendered(labels)
      let histogram = values.get(key)
      if (!histogram) {
        histogram = { counts: buckets.map(() => 0), sum: 0, count: 0 }
        values.set(key, histogram)
      }
      const seconds = milliseconds / 1000
      const bucket = buckets.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) histogram.counts[bucket]!++
      histogram.sum += seconds
      histogram.count++
    },
    text() {
      const lines: string[] = []
      for (const [metric, type] of [...help].sort(([a], [b]) => (a < b ? -1 : 1))) {
        lines.push(`# TYPE ${metric} ${type}`)
        for (const [labels, value] of numbers.get(metric) ?? []) {
          lines.push(`${metric}${labels && `{${labels}}`} ${value}`)
        }
        for (const [labels, histogram] of histograms.get(metric) ?? []) {
          lines.push(...histogramLines(metric, labels, histogram))
        }
      }
      return `${lines.join('\n')}\n`
    },
  }
}

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

const rendered = (labels: Labels) => {
  let text = ''
  for (const label in labels) text += `${text && ','}${label}="${escaped(labels[label]!)}"`
  return text
}

const escaped = (value: string) =>
  /["\\\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value
