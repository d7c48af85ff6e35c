/** The records that a domain publishes for each check, as text that can be compared between check runs. */

import type { DsRecord, MxRecord } from '../protocol/dns.ts';
import type { CheckResults } from './results.ts';
import type { CheckName } from './state.ts';

/** An MX record as text; its exchange is a dot for a null MX. */
export const mxText = ({ preference, exchange }: MxRecord): string => `${preference} ${exchange || '.'}`;

/** A DS record as text. The digest is in upper-case hexadecimal, or its octets. */
export const dsText = ({
  keyTag,
  algorithm,
  digestType,
  digest,
}: Omit<DsRecord, 'digest'> & { readonly digest: string | Uint8Array }): string =>
  [
    keyTag,
    algorithm,
    digestType,
    typeof digest === 'string' ? digest : Buffer.from(digest).toString('hex').toUpperCase(),
  ].join(' ');

/** The records that a check found. DKIM records start with their selector and a colon. */
export function publishedRecords(name: CheckName, results: CheckResults): readonly string[] {
  switch (name) {
    case 'mx':
      return results.mx.records.map(({ priority, exchange }) => mxText({ preference: priority, exchange }));
    case 'dkim':
      return results.dkim.selectors.flatMap((key) =>
        together(key.record, key).map((record) => `${key.selector}: ${record}`),
      );
    case 'mtaSts':
      return together(results.mtaSts.dnsRecord, results.mtaSts);
    case 'dnssec':
      return results.dnssec.dsRecords.map(dsText);
    default:
      return together(results[name].record, results[name]);
  }
}

/** The record shown may be one of several records, or one that is inherited instead of them. */
function together(record: string | null, { records = [] }: { readonly records?: readonly string[] }) {
  return [...new Set(record === null ? records : [record, ...records])];
}
