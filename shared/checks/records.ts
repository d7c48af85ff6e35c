/** What a domain publishes for each check, as text by which two runs can be compared. */
import type { CheckName, CheckResults } from './results.ts';

/** The records that a check found; those of DKIM begin with their selector and a colon. */
export function publishedRecords(name: CheckName, results: CheckResults): readonly string[] {
  switch (name) {
    case 'mx':
      return results.mx.records.map(({ priority, exchange }) => `${priority} ${exchange}`);
    case 'dkim':
      return results.dkim.selectors.flatMap((key) =>
        together(key.record, key).map((record) => `${key.selector}: ${record}`),
      );
    case 'mtaSts':
      return together(results.mtaSts.dnsRecord, results.mtaSts);
    case 'dnssec':
      return results.dnssec.dsRecords.map(({ keyTag, algorithm, digestType, digest }) =>
        [keyTag, algorithm, digestType, digest].join(' '),
      );
    default:
      return together(results[name].record, results[name]);
  }
}

/** The record that is shown is one of several, or one that is inherited in their place. */
function together(record: string | null, { records = [] }: { readonly records?: readonly string[] }) {
  return [...new Set(record === null ? records : [record, ...records])];
}
