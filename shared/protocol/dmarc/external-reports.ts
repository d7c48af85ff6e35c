/** Whether report destinations outside the organization have authorized reports (RFC 9990 section 4). */
import type { Dns } from '../dns.ts';
import { isLookupName } from '../domain-name.ts';
import { walkToOrganizationalDomain } from './discover.ts';
import { type DmarcRecord, parseDmarcRecord } from './record.ts';

export interface ReportDestination {
  /** The domain that reports are mailed to. */
  readonly host: string;
  /** The tags that contain it: `rua`, `ruf`. */
  readonly tags: readonly string[];
  /** The name of the TXT record that authorizes reports. */
  readonly name: string;
  /**
   * `inside`: needs no authorization. `authorized`: has authorized reports. `unauthorized`: has not, so receivers send
   * none. `foreign-override`: the authorization redirects reports to another host, so receivers send none either.
   * `unknown`: a lookup failed.
   */
  readonly status: 'inside' | 'authorized' | 'unauthorized' | 'foreign-override' | 'unknown';
}

/** Maximum number of hosts to check per record. Receivers must support only two (RFC 7489 section 6.2). */
export const MAX_DESTINATIONS = 10;

/**
 * Checks the first `MAX_DESTINATIONS` hosts that a record of `policyDomain` sends reports to, concurrently.
 * `organizationalDomain` is that of `policyDomain`; null if it could not be determined.
 */
export function reportDestinations(
  record: Pick<DmarcRecord, 'rua' | 'ruf'>,
  policyDomain: string,
  organizationalDomain: string | null,
  dns: Dns,
): Promise<readonly ReportDestination[]> {
  const hosts = reportHosts(record).slice(0, MAX_DESTINATIONS);
  return Promise.all(
    hosts.map(async (host) => {
      const tags = (['rua', 'ruf'] as const).filter((tag) => record[tag].some((uri) => uri.host === host));
      const name = `${policyDomain}._report._dmarc.${host}`;
      if (host === policyDomain || host === organizationalDomain)
        return { host, tags, name, status: 'inside' };
      const [consent, home] = await Promise.all([
        lookUpAuthorization(name, host, dns),
        walkToOrganizationalDomain(host, dns),
      ]);
      return { host, tags, name, status: judge(consent, home, organizationalDomain) };
    }),
  );
}

/** The distinct hosts that a record sends reports to, in the order of the record. */
export function reportHosts(record: Pick<DmarcRecord, 'rua' | 'ruf'>): readonly string[] {
  return [...new Set([...record.rua, ...record.ruf].flatMap(({ host }) => host ?? []))];
}

type Consent = Exclude<ReportDestination['status'], 'inside'>;

async function lookUpAuthorization(name: string, host: string, dns: Dns): Promise<Consent> {
  if (!isLookupName(name)) return 'unauthorized';
  const answer = await dns.lookup(name, 'TXT');
  if (answer.status === 'unavailable') return 'unknown';
  if (answer.status === 'absent') return 'unauthorized';
  const consents = answer.records.map(parseDmarcRecord).filter((parsed) => parsed.ok);
  if (consents.length === 0) return 'unauthorized';
  const overrides = consents.flatMap(({ record }) => record.rua);
  return overrides.every((uri) => uri.host === host) ? 'authorized' : 'foreign-override';
}

function judge(consent: Consent, home: string | null, ours: string | null): ReportDestination['status'] {
  if (home !== null && home === ours) return 'inside';
  if (consent === 'authorized') return 'authorized';
  return home === null || ours === null ? 'unknown' : consent;
}
