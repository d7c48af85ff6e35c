/** The records that a domain publishes for each check, as text that can be compared between check runs. */

import type { CheckResults } from './results.ts';
import type { CheckName } from './state.ts';

/** The records that a check found. DKIM records start with their selector and a colon. */
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

/** The record shown may be one of several records, or one that is inherited instead of them. */
function together(record: string | null, { records = [] }: { readonly records?: readonly string[] }) {
  return [...new Set(record === null ? records : [record, ...records])];
}
