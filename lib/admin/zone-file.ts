/** Formats records as a zone file (RFC 1035 section 5), which DNS operators can import. */
import { absolute, quoted } from '../../shared/protocol/zone-file/write.ts';
import type { DnsRecord } from '../cloud/dns-records.ts';

/** In seconds. Short, because most corrections happen on the first day. */
const TIME_TO_LIVE = 300;

/** The lines of `records`, each group under a comment that states its purpose. All names are absolute. */
export function zoneFile(records: readonly DnsRecord[]): string[] {
  const lines: string[] = [];
  let why: string | undefined;
  for (const record of records) {
    if (record.why !== why) lines.push(comment(record.why));
    why = record.why;
    lines.push(`${absolute(record.name)} ${TIME_TO_LIVE} IN ${record.type} ${data(record)}`);
  }
  return lines;
}

export const comment = (text: string): string => `; ${text}`;

function data({ type, value }: DnsRecord): string {
  switch (type) {
    case 'TXT':
      return quoted(value);
    case 'MX': {
      const [preference = '', exchange = ''] = value.split(' ');
      return `${preference} ${absolute(exchange)}`;
    }
    case 'CNAME':
      return absolute(value);
  }
}
