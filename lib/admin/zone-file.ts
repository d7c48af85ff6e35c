/** Formats records as a zone file (RFC 1035 section 5), which DNS operators can import. */
import type { DnsRecord } from '../cloud/dns-records.ts';

/** In seconds. Short, because most corrections happen on the first day. */
const TIME_TO_LIVE = 300;

/** RFC 1035 section 3.3: the maximum length of a character-string in octets. */
const MAX_STRING = 255;

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

/** An absolute name with its final dot; characters that are special in zone files are escaped. */
function absolute(name: string): string {
  return `${escaped(name, /[^\w.*-]/)}.`;
}

/** Text as quoted character-strings. */
function quoted(text: string): string {
  const octets = Buffer.from(text, 'utf8');
  const strings = Array.from({ length: Math.max(1, Math.ceil(octets.length / MAX_STRING)) }, (_, at) =>
    octets.toString('latin1', at * MAX_STRING, (at + 1) * MAX_STRING),
  );
  return strings.map((string) => `"${escaped(string, /[^ !#-[\]-~]/, 'latin1')}"`).join(' ');
}

/** RFC 1035 section 5.1: `\DDD` is the octet with that decimal value. */
function escaped(text: string, special: RegExp, encoding: BufferEncoding = 'utf8'): string {
  return Array.from(text, (character) =>
    special.test(character)
      ? Array.from(Buffer.from(character, encoding), (octet) => `\\${String(octet).padStart(3, '0')}`).join(
          '',
        )
      : character,
  ).join('');
}
