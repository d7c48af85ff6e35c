/** Whether the sender's domain can receive what is answered to it (RFC 5321 section 5.1, RFC 7505). */
import type { Dns, MxRecord } from '../protocol/dns.ts';
import { isLookupName, parseLookupName } from '../protocol/domain-name.ts';
import { parseIp } from '../protocol/ip.ts';

export interface SenderMx {
  /** The domain of MAIL FROM, of the author for bounces; null where there is none. */
  readonly domain: string | null;
  /** `none`: no MX record, or one that says that the domain takes no mail. `unknown`: the DNS did not answer. */
  readonly status: 'valid' | 'none' | 'invalid' | 'unknown';
  readonly records: readonly { readonly priority: number; readonly exchange: string }[];
  /** What is wrong, in a sentence; null where nothing is. */
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
  if (domain === null)
    return verdict('unknown', 'The message names no sender domain that could be looked up.');
  const answer = await dns.lookup(domain, 'MX');
  if (answer.status === 'unavailable') return verdict('unknown', 'The DNS did not answer.');
  if (answer.status === 'absent') return verdict('none', `${domain} has no MX record.`);
  const { records } = answer;
  const nulls = records.filter(({ exchange }) => exchange === '');
  if (nulls.length === records.length) {
    return verdict('none', `${domain} says that it takes no mail (null MX, RFC 7505).`, records);
  }
  if (nulls.length > 0) {
    return verdict('invalid', 'A null MX stands beside other MX records (RFC 7505 section 3).', records);
  }
  const problems = await Promise.all(
    records.slice(0, MAX_EXCHANGES).map(({ exchange }) => problemOf(exchange, dns)),
  );
  const problem = problems.find((sentence) => typeof sentence === 'string');
  if (problem != null) return verdict('invalid', problem, records);
  return problems.includes(undefined)
    ? verdict('unknown', 'The DNS did not answer for a mail host.', records)
    : verdict('valid', null, records);
}

/** Null: nothing is wrong; undefined: nobody can tell. */
async function problemOf(exchange: string, dns: Dns): Promise<string | null | undefined> {
  if (parseIp(exchange) !== undefined) {
    return `The MX record holds the address ${exchange} in place of a name (RFC 5321 section 5.1).`;
  }
  if (!isLookupName(exchange)) return 'An MX record holds what is no name.';
  const answers = await Promise.all([dns.lookup(exchange, 'A'), dns.lookup(exchange, 'AAAA')]);
  if (answers.some((answer) => answer.status === 'found')) return null;
  if (answers.some((answer) => answer.status === 'unavailable')) return undefined;
  return `The mail host ${exchange} has no address.`;
}
