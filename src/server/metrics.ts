/** Counts what a server does, for Prometheus. */
export interface Metrics {
  /** Records a response. `group` is the name of the group of routes, or `none`. */
  record(group: string, method: string, status: number, seconds: number): void;
  /** Adds a value that is read when the metrics are read. */
  gauge(name: string, help: string, read: () => number): void;
  /** Returns the metrics in the text format of Prometheus. */
  text(): string;
}

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120];
const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'];

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Creates empty metrics. The number of series is limited, whatever clients send. */
export function createMetrics(): Metrics {
  const responses = new Map<string, number>();
  const times = new Map<string, Histogram>();
  const gauges: { readonly name: string; readonly help: string; readonly read: () => number }[] = [];
  return {
    record(group, method, status, seconds) {
      const known = methods.includes(method) ? method : 'other';
      const key = `group="${group}",method="${known}",status="${status}"`;
      responses.set(key, (responses.get(key) ?? 0) + 1);
      const time = times.get(group) ?? { counts: buckets.map(() => 0), sum: 0, count: 0 };
      times.set(group, time);
      time.sum += seconds;
      time.count += 1;
      buckets.forEach((most, index) => {
        if (seconds <= most) time.counts[index] = (time.counts[index] ?? 0) + 1;
      });
    },
    gauge: (name, help, read) => void gauges.push({ name, help, read }),
    text() {
      const lines = [
        ...head(
          'skilled_http_responses_total',
          'counter',
          'Responses by group of routes, method and status.',
        ),
        ...[...responses].map(([labels, count]) => `skilled_http_responses_total{${labels}} ${count}`),
        ...head('skilled_http_response_seconds', 'histogram', 'The time until a response began.'),
        ...[...times].flatMap(([group, time]) => histogramLines(group, time)),
        ...gauges.flatMap(({ name, help, read }) => [...head(name, 'gauge', help), `${name} ${read()}`]),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function head(name: string, type: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function histogramLines(group: string, { counts, sum, count }: Histogram): readonly string[] {
  const name = 'skilled_http_response_seconds';
  return [
    ...buckets.map((most, index) => `${name}_bucket{group="${group}",le="${most}"} ${counts[index] ?? 0}`),
    `${name}_bucket{group="${group}",le="+Inf"} ${count}`,
    `${name}_sum{group="${group}"} ${sum}`,
    `${name}_count{group="${group}"} ${count}`,
  ];
}
