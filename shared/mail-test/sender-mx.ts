/** Whether the sender domain can receive replies and bounces (RFC 5321 section 5.1, RFC 7505). */
import { type Dns, type MxRecord, whyFailed } from '../protocol/dns.ts';
import { isLookupName, parseLookupName } from '../protocol/domain-name.ts';
import { parseIp } from '../protocol/ip.ts';
import { isNullMx } from '../protocol/null-mx.ts';

export interface SenderMx {
  /** The MAIL FROM domain; the author domain for bounces; null if there is none. */
  readonly domain: string | null;
  /**
   * `valid` also without MX records if the domain has an address, the implicit MX. `none`: neither of them, or a null MX.
   * `unknown`: a lookup failed.
   */
  readonly status: 'valid' | 'none' | 'invalid' | 'unknown';
  readonly records: readonly { readonly priority: number; readonly exchange: string }[];
  /** What is wrong, in a sentence; null if nothing is. */
  readonly problem: string | null;
}

const MAX_EXCHANGES = 10;

export async function inspectSenderMx(name: string | null, dns: Dns): Promise<SenderMx> {
  const parsed = parseLookupName(name ?? '');
  const domain = parsed.ok ? parsed.name : null;
  const verdict = (
    status: SenderMx['status'],
    problem: string | null,
    records: readonly MxRecord[] = [],
  ): SenderMx => ({
    domain,
    status,
    records: records
      .slice(0, MAX_EXCHANGES)
      .map(({ preference, exchange }) => ({ priority: preference, exchange })),
    problem,
  });
  if (domain === null) return verdict('unknown', 'The message has no sender domain that can be looked up.');
  const answer = await dns.lookup(domain, 'MX');
  if (answer.status === 'unavailable')
    return verdict('unknown', `The MX lookup for ${domain} failed (${whyFailed(answer)}).`);
  if (answer.status === 'absent') return verdict(...(await implicitMx(domain, dns)));
  const { records } = answer;
  const nulls = records.filter(isNullMx);
  if (nulls.length === records.length) {
    return verdict('none', `${domain} accepts no mail (null MX, RFC 7505).`, records);
  }
  if (nulls.length > 0) {
    return verdict(
      'invalid',
      'A null MX is published together with other MX records (RFC 7505 section 3).',
      records,
    );
  }
  const problems = await Promise.all(
    records.slice(0, MAX_EXCHANGES).map(({ exchange }) => problemOf(exchange, dns)),
  );
  const problem = problems.find((sentence) => typeof sentence === 'string');
  if (problem != null) return verdict('invalid', problem, records);
  return problems.includes(undefined)
    ? verdict('unknown', 'The address lookup for an MX host failed.', records)
    : verdict('valid', null, records);
}

/** Without MX records, mail goes to the address of the domain (RFC 5321 section 5.1). */
async function implicitMx(domain: string, dns: Dns): Promise<[SenderMx['status'], string | null]> {
  const problem = await addressProblem(domain, dns);
  if (problem === null) return ['valid', null];
  if (problem === undefined)
    return ['unknown', `${domain} has no MX record, and the lookup of its address failed.`];
  return ['none', `${domain} has neither an MX record nor an address record.`];
}

/** Null: no problem; undefined: unknown because a lookup failed. */
async function problemOf(exchange: string, dns: Dns): Promise<string | null | undefined> {
  if (parseIp(exchange) !== undefined) {
    return `An MX record contains the IP address ${exchange} instead of a host name (RFC 5321 section 5.1).`;
  }
  if (!isLookupName(exchange)) return 'An MX record does not contain a valid host name.';
  return addressProblem(exchange, dns);
}

async function addressProblem(host: string, dns: Dns): Promise<string | null | undefined> {
  const answers = await Promise.all([dns.lookup(host, 'A'), dns.lookup(host, 'AAAA')]);
  if (answers.some((answer) => answer.status === 'found')) return null;
  if (answers.some((answer) => answer.status === 'unavailable')) return undefined;
  return `The MX host ${host} has no address record.`;
}
