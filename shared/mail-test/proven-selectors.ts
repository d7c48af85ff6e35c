/** DKIM selectors that a test message proves to be in use, whoever sent it. */
import { dnsWithDeadline } from '../network/deadline.ts';
import { parseDkimKey } from '../protocol/dkim/key.ts';
import type { Dns } from '../protocol/dns.ts';
import {
  canonicalName,
  isLookupName,
  organizationalDomain,
  parseLookupName,
} from '../protocol/domain-name.ts';
import type { DkimVerdict } from '../protocol/message/evaluate.ts';

/** A genuine message is not signed for more domains, and each domain costs one write. */
const MAX_DOMAINS = 5;

const DNS_MILLISECONDS = 3000;

/**
 * The selectors by domain (canonical form) whose published key verified a signature of the message: those of the
 * signing domains, and of their organizational domains if the same key is published there too. A key that merely
 * exists proves nothing, because the sender chooses the contents of a signature.
 */
export async function provenSelectors(
  { signatures }: Pick<DkimVerdict, 'signatures'>,
  unlimited: Dns,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const dns = dnsWithDeadline(unlimited, AbortSignal.timeout(DNS_MILLISECONDS));
  const proven = signatures.filter(({ verdict }) => verdict === 'pass').flatMap(keyPlace);
  const above = await Promise.all(proven.map((place) => sameKeyAbove(place, dns)));
  const found = new Map<string, Set<string>>();
  for (const { domain, selector } of [...proven, ...above.flat()]) {
    const selectors = found.get(domain) ?? new Set();
    if (found.size < MAX_DOMAINS || selectors.size > 0) found.set(domain, selectors.add(selector));
  }
  return found;
}

interface KeyPlace {
  readonly domain: string;
  readonly selector: string;
}

function keyPlace({ domain, selector: written }: KeyPlace): readonly KeyPlace[] {
  const parsed = parseLookupName(domain);
  const selector = canonicalName(written);
  const isPlain = /^[a-z0-9_][a-z0-9._-]*$/.test(selector);
  if (!parsed.ok || !isPlain || !isLookupName(`${selector}._domainkey.${parsed.name}`)) return [];
  return [{ domain: parsed.name, selector }];
}

async function sameKeyAbove({ domain, selector }: KeyPlace, dns: Dns): Promise<readonly KeyPlace[]> {
  const above = organizationalDomain(domain);
  if (above === domain) return [];
  const [own, other] = await Promise.all(
    [domain, above].map(async (name) => {
      const answer = await dns.lookup(`${selector}._domainkey.${name}`, 'TXT');
      return answer.status === 'found' ? answer.records.map((text) => parseDkimKey(text, '').key.p) : [];
    }),
  );
  return own?.some((key) => key && other?.includes(key)) ? [{ domain: above, selector }] : [];
}
