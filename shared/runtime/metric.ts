/** Counting for operators: a line in the log that CloudWatch makes a metric of (Amazon CloudWatch, embedded metric format). */

const NAMESPACE = 'EmailDomainSecurity';

/** Counts one more of `name` by its dimensions; these have few values each, for every combination is a metric. */
export function countMetric(
  name: string,
  dimensions: Readonly<Record<string, string>>,
  now: Date,
  write: (line: string) => void = (line) => process.stdout.write(line),
): void {
  const declared = {
    Namespace: NAMESPACE,
    Dimensions: [Object.keys(dimensions)],
    Metrics: [{ Name: name, Unit: 'Count' }],
  };
  const metadata = { Timestamp: now.getTime(), CloudWatchMetrics: [declared] };
  write(`${JSON.stringify({ _aws: metadata, ...dimensions, [name]: 1 })}\n`);
}
