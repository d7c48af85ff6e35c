/** Writes record sets as lines of a zone file (RFC 1035 section 5). */
import { characterStrings, type ZoneSet } from './record-set.ts';

/** The lines of a record set; for a set without values the directive `;remove <name> <type>`, a comment to DNS servers. */
export function zoneLines({ name, type, ttl, values }: ZoneSet): readonly string[] {
  if (values.length === 0) return [`;remove ${absolute(name)} ${type}`];
  return values.map((value) => `${absolute(name)} ${ttl} IN ${type} ${data(type, value)}`);
}

function data(type: ZoneSet['type'], value: string): string {
  switch (type) {
    case 'TXT':
      return quoted(value);
    case 'CNAME':
      return absolute(value);
    case 'MX': {
      const [preference = '', exchange = ''] = value.split(' ');
      return `${preference} ${absolute(exchange)}`;
    }
    default:
      return value;
  }
}

/** An absolute name with its final dot; characters that are special in zone files are escaped. */
export function absolute(name: string): string {
  return name === '.' ? name : `${escaped(Buffer.from(name), /[\w.*-]/)}.`;
}

/** Text as quoted character-strings. */
export function quoted(text: string): string {
  return characterStrings(text)
    .map((string) => `"${escaped(string, /[ !#-[\]-~]/)}"`)
    .join(' ');
}

/** RFC 1035 section 5.1: `\DDD` is the octet with that decimal value. */
function escaped(octets: Buffer, plain: RegExp): string {
  return Array.from(octets, (octet) => {
    const character = String.fromCharCode(octet);
    return plain.test(character) ? character : `\\${String(octet).padStart(3, '0')}`;
  }).join('');
}
