/** Records in the form of a master file (RFC 1035 section 5), as DNS operators take them. */
import type { DnsRecord } from '../cloud/dns-records.ts';

/** Seconds: short, for what is published is corrected mostly on the first day. */
const TIME_TO_LIVE = 300;

/** RFC 1035 section 3.3: the most octets of one character-string. */
const MAX_STRING = 255;

/** The lines of `records`, each group under a comment that says what it is for. Every name is a whole one. */
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

/** A name with its final dot, so that it is not taken for one below the zone; what is special in a master file is escaped. */
function absolute(name: string): string {
  return `${escaped(name, /[^\w.*-]/)}.`;
}

/** Text as the character-strings that it is split into. */
function quoted(text: string): string {
  const octets = Buffer.from(text, 'utf8');
  const strings = Array.from({ length: Math.max(1, Math.ceil(octets.length / MAX_STRING)) }, (_, at) =>
    octets.toString('latin1', at * MAX_STRING, (at + 1) * MAX_STRING),
  );
  return strings.map((string) => `"${escaped(string, /[^ !#-[\]-~]/, 'latin1')}"`).join(' ');
}

/** RFC 1035 section 5.1: `\DDD` is the octet of that decimal number. */
function escaped(text: string, special: RegExp, encoding: BufferEncoding = 'utf8'): string {
  return Array.from(text, (character) =>
    special.test(character)
      ? Array.from(Buffer.from(character, encoding), (octet) => `\\${String(octet).padStart(3, '0')}`).join(
          '',
        )
      : character,
  ).join('');
}
