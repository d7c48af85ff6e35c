/** Checks whether a DNS record is published correctly, with the same lookups as the systems that depend on it. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Answer,
  type Dns,
  type MxRecord,
  type Unavailable,
  whyFailed,
} from '../../shared/protocol/dns.ts';
import type { DnsRecord } from '../cloud/dns-records.ts';

export type Publication =
  | { readonly status: 'published' | 'missing' }
  | { readonly status: 'differs'; readonly there: readonly string[] }
  | { readonly status: 'lookup failed'; readonly reason: string };

/**
 * Never rejects: a failed lookup is one of the results.
 * @param all The records that a deployment needs.
 */
export async function publicationOf(
  record: DnsRecord,
  all: readonly DnsRecord[],
  dns: Dns,
): Promise<Publication> {
  const name = queriedName(record.name);
  switch (record.type) {
    case 'MX':
      return judge(await dns.lookup(name, 'MX'), writeMx, areOnly(record, all));
    case 'TXT':
      return judge(
        keepOnly(await dns.lookup(name, 'TXT'), (text) => versionOf(text) === versionOf(record.value)),
        (text) => text,
        ([text = '', ...others]) => others.length === 0 && says(text, record.value),
      );
    case 'CNAME': {
      const answer = await dns.lookup(name, 'CNAME');
      if (answer.status === 'absent') return publishedAsAddresses(name, record.value, dns);
      return judge(
        answer,
        (target) => target,
        ([target]) => target === canonical(record.value),
      );
    }
  }
}

/** A wildcard is checked with a name that it covers (RFC 4592). */
const queriedName = (name: string): string => name.replace(/^\*\./, 'any-domain.example.');

function judge<T>(
  answer: Answer<T>,
  write: (record: T) => string,
  isRight: (records: readonly T[]) => boolean,
): Publication {
  switch (answer.status) {
    case 'unavailable':
      return lookupFailed(answer);
    case 'absent':
      return { status: 'missing' };
    case 'found':
      return isRight(answer.records)
        ? { status: 'published' }
        : { status: 'differs', there: answer.records.map(write) };
  }
}

function lookupFailed(answer: Unavailable): Publication {
  const { server } = answer.evidence;
  const reason = whyFailed(answer);
  return { status: 'lookup failed', reason: server === undefined ? reason : `${reason} (${server})` };
}

const writeMx = ({ preference, exchange }: MxRecord): string => `${preference} ${exchange || '.'}`;

/** The hosts are this one and others that are required, in the order of their preference. */
function areOnly(record: DnsRecord, all: readonly DnsRecord[]) {
  const hosts = all
    .filter(({ type, name }) => type === 'MX' && name === record.name)
    .map(({ value }) => canonical(value.slice(value.indexOf(' ') + 1)));
  return (records: readonly MxRecord[]) => {
    const there = records.toSorted((a, b) => a.preference - b.preference).map(({ exchange }) => exchange);
    return isDeepStrictEqual([...new Set(there)], hosts);
  };
}

const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** TXT records at the same name are distinguished by their version tag: `v=spf1`, `v=DMARC1`. */
const versionOf = (text: string): string => /^\s*([^\s;]*)/.exec(text)?.[1]?.toLowerCase() ?? '';

/** Equal except for white space, case, and additional tags at the end, such as `rua`. */
function says(text: string, wanted: string): boolean {
  const plain = (it: string) =>
    it
      .toLowerCase()
      .split(/([;=])/)
      .map((part) => part.trim().replaceAll(/\s+/g, ' '))
      .join('');
  return `${plain(text)};`.startsWith(`${plain(wanted)};`);
}

function keepOnly<T>(answer: Answer<T>, isMeant: (record: T) => boolean): Answer<T> {
  if (answer.status !== 'found') return answer;
  const { aliases, evidence } = answer;
  const records = answer.records.filter(isMeant);
  if (records.length > 0) return { ...answer, records };
  return { status: 'absent', reason: 'no-data', aliases, evidence };
}

/** Some DNS operators return the target's addresses instead of a CNAME record; at a zone apex this is the only option. */
async function publishedAsAddresses(name: string, target: string, dns: Dns): Promise<Publication> {
  const [own, behind] = await Promise.all([dns.lookup(name, 'A'), dns.lookup(target, 'A')]);
  if (own.status === 'unavailable') return lookupFailed(own);
  if (own.status === 'absent') return { status: 'missing' };
  if (behind.status === 'unavailable') return lookupFailed(behind);
  const addresses = behind.status === 'found' ? behind.records : [];
  return own.records.some((address) => addresses.includes(address))
    ? { status: 'published' }
    : { status: 'differs', there: own.records };
}
