/** What recommended changes are derived from: stored results and the record sets that they were read from. */
import type { CheckResults } from '../checks/results.ts';
import type { UsageType } from '../checks/state.ts';
import type { Policy } from '../protocol/dmarc/record.ts';
import type { Dns } from '../protocol/dns.ts';
import { writeValue, type ZoneType } from '../protocol/zone-file/record-set.ts';
import { authorizesAnyone } from '../score/credit/spf.ts';

/** What the reports about a domain show of its mail. */
export interface ReportedMail {
  /** Whether a report whose sender was authenticated came within 30 days. */
  readonly isReported: boolean;
  /** Whether reports of the last year show mail of the domain that passed DMARC. */
  readonly isAuthenticated: boolean;
  /** Whether authenticated reports of the last 30 days show mail of a subdomain. */
  readonly isFromSubdomains: boolean;
}

/** For a domain whose reports are unknown. */
export const noReportedMail: ReportedMail = {
  isReported: false,
  isAuthenticated: false,
  isFromSubdomains: false,
};

export interface Subject {
  readonly domain: string;
  readonly usageType: UsageType;
  /** The email address at which the service receives reports for the domain. */
  readonly mailbox: string | undefined;
  readonly mail: ReportedMail;
  /** The policy that its reports and decisions show it to be ready for, if there is one. */
  readonly nextPolicy?: Policy | null | undefined;
  /** Reads who sends as the domain, most messages first; undefined if nobody may know. */
  readonly senders?: (() => Promise<readonly ReportedSender[]>) | undefined;
}

/** A sender that reports of the last 30 days show, and that may have to be listed in SPF. */
export interface ReportedSender {
  /** The known provider, the organizational domain, or the network, such as `192.0.2.0/24`. */
  readonly name: string;
  readonly kind: 'provider' | 'domain' | 'network';
  readonly status: 'approved' | null;
  /** Messages with an aligned SPF pass. */
  readonly spfAligned: number;
}

export interface Facts extends Subject {
  readonly results: CheckResults;
  /**
   * The values of a record set. Undefined if it must not be changed: its lookup failed, an alias leads to another name, or
   * a value is not UTF-8 text and could not be written back.
   */
  readonly valuesAt: (name: string, type: ZoneType) => Promise<PublishedSet | undefined>;
}

interface PublishedSet {
  readonly values: readonly string[];
  /** The remaining time of the answer in caches when it was looked up, in seconds; 0 if there are no records. */
  readonly ttl: number;
}

/**
 * - `safe`: adds what cannot hurt mail, or corrects syntax without changing its meaning.
 * - `needs-decision`: depends on knowledge that only the owner has.
 * - `advice`: concerns records that others write, such as the operator of the mail servers.
 */
export type FixClass = 'safe' | 'needs-decision' | 'advice';

/** A recommended change before it is proven. */
export interface Proposal {
  readonly class: FixClass;
  readonly name: string;
  readonly type: ZoneType;
  readonly after: readonly string[];
  /** Why, as a sentence for people. */
  readonly reason: string;
}

/** Rules derive proposals from facts; at most one per record set. */
export type Propose = (facts: Facts) => Promise<readonly Proposal[]>;

/** Reads record sets through `dns`, which answers from stored lookups. */
export function publishedSets(dns: Dns): Facts['valuesAt'] {
  return async (name, type) => {
    const answer = await dns.lookup(name, type);
    if (answer.status === 'unavailable' || answer.aliases.length > 0) return undefined;
    if (answer.status === 'absent') return { values: [], ttl: 0 };
    const values = answer.records.map((data) => writeValue(type, data));
    return values.some((value) => value.includes('\ufffd')) ? undefined : { values, ttl: answer.ttl };
  };
}

/**
 * Whether a parked domain certainly has no mail to hurt: it has no MX host, its SPF record authorizes nobody, and the reports
 * that come show neither mail that passed DMARC nor mail of subdomains. Only then are a null MX, `-all` and p=reject safe.
 */
export function isWithoutMail({ usageType, mail, results: { mx, spf } }: Facts): boolean {
  const isQuiet = mail.isReported && !mail.isAuthenticated && !mail.isFromSubdomains;
  return usageType === 'parked' && isQuiet && hasNoMxHost(mx) && authorizesNobody(spf);
}

/** Whether the check found that there is no MX host; false if its lookup failed. */
export function hasNoMxHost({ state, asOf, records }: CheckResults['mx']): boolean {
  return state !== 'unknown' && asOf === undefined && records.every(({ exchange }) => exchange === '.');
}

function authorizesNobody(spf: CheckResults['spf']): boolean {
  if (spf.asOf !== undefined || spf.state === 'unknown') return false;
  const isMeant = spf.findings.some(({ id }) => id === 'spf-lookalike');
  return spf.state === 'absent' ? !isMeant : spf.valid && !authorizesAnyone(spf);
}

/** The values with one of them replaced, in its place. */
export function withReplaced(
  values: readonly string[],
  old: string,
  ...replacement: readonly string[]
): readonly string[] {
  return values.flatMap((value) => (value === old ? replacement : [value]));
}
