/** The published records of a domain, from its latest stored check; without one, from its newest report. */

import type { DkimCheck } from '../checks/dkim/result.ts';
import type { DmarcResult } from '../checks/dmarc/result.ts';
import type { CheckResults } from '../checks/results.ts';
import type { PublishedDmarc } from '../protocol/dmarc/next-record.ts';
import { parseDmarcRecord } from '../protocol/dmarc/record.ts';
import { reportHost } from '../protocol/dmarc/report-uri.ts';
import { isWithin } from '../protocol/domain-name.ts';
import { contains, type IpPrefix, parseIp, parsePrefix, prefixOf } from '../protocol/ip.ts';
import type { DaySummary, PublishedPolicy } from '../reports/dmarc/summary/shapes.ts';
import { noPolicy, type PolicyTerms, termsOfRecord, termsOfReport } from './policy-terms.ts';

export interface PublishedRecords {
  readonly dmarc: PublishedDmarc;
  readonly terms: PolicyTerms;
  /** Null if there is none, undefined if that is unknown. */
  readonly spf: string | null | undefined;
}

/** Whether the next record leaves subdomains a policy of their own: it keeps the `sp` of the domain's own record. */
export function keepsSubdomainPolicy({ text, policyDomain }: PublishedDmarc, domain: string): boolean {
  const parsed = text !== null && policyDomain === domain ? parseDmarcRecord(text) : undefined;
  return parsed?.ok === true && parsed.record.applied !== null && parsed.record.sp !== null;
}

/** Whether the results of a check say what the DMARC record is; otherwise the newest reports do. */
export const isDmarcKnown = (results: CheckResults | undefined): results is CheckResults =>
  results !== undefined && (results.dmarc.state !== 'unknown' || results.dmarc.record !== null);

/** `results` are those of the latest check; `days` are used if they do not say what the DMARC record is. */
export function publishedRecords(
  domain: string,
  results: CheckResults | undefined,
  days: readonly DaySummary[],
): PublishedRecords {
  const spf = results?.spf.state === 'unknown' ? (results.spf.record ?? undefined) : results?.spf.record;
  if (isDmarcKnown(results)) {
    const { record, policyDomain } = results.dmarc;
    return { dmarc: { text: record, policyDomain }, terms: termsOfText(record, policyDomain, domain), spf };
  }
  const policy = newestPolicy(domain, days);
  if (policy === undefined) return { dmarc: { text: null, policyDomain: null }, terms: noPolicy, spf };
  const terms = inherited(termsOfReport(policy), policy.domain, domain);
  return { dmarc: { text: recordOf(policy), policyDomain: policy.domain }, terms, spf };
}

/** What a record asks of mail of `domain`, published there or at another domain; nothing, if it is no DMARC record. */
export function termsOfText(text: string | null, policyDomain: string | null, domain: string): PolicyTerms {
  const parsed = text === null ? undefined : parseDmarcRecord(text);
  return parsed?.ok ? inherited(termsOfRecord(parsed.record), policyDomain ?? domain, domain) : noPolicy;
}

/** A record of a parent domain applies to the domain itself by its `sp` (RFC 9989 section 4.7). */
function inherited(terms: PolicyTerms, policyDomain: string, domain: string): PolicyTerms {
  if (terms.policies === null || policyDomain === domain) return terms;
  return { ...terms, policies: { ...terms.policies, p: terms.policies.sp } };
}

function newestPolicy(domain: string, days: readonly DaySummary[]): PublishedPolicy | undefined {
  for (const { summaries } of days.toReversed()) {
    const found = summaries.find(
      ({ authenticated, policy }) =>
        authenticated === true && policy !== null && isWithin(domain, policy.domain),
    );
    if (found?.policy) return found.policy;
  }
  return undefined;
}

/** A reported policy as a record; the addresses of reports are unknown. */
function recordOf({ p, sp, np, adkim, aspf, pct, testing }: PublishedPolicy): string {
  const tags = [
    ...['v=DMARC1', `p=${p}`],
    ...(sp === null ? [] : [`sp=${sp}`]),
    ...(np === null ? [] : [`np=${np}`]),
    ...(adkim === 'r' ? [] : ['adkim=s']),
    ...(aspf === 'r' ? [] : ['aspf=s']),
    ...(pct === 100 ? [] : [`pct=${pct}`]),
    ...(testing ? ['t=y'] : []),
  ];
  return tags.join('; ');
}

/** What the checks and DNS say today. */
export interface PublishedNow {
  /** Whether a usable record names an address that aggregate reports reach; null if the DMARC record is unknown. */
  readonly hasReportAddress: boolean | null;
  /** The SPF record is a permerror; null if the record is unknown. */
  readonly spfIsPermerror: boolean | null;
  /** Whether the domain has a valid DKIM key; null if lookups failed and none was found. */
  readonly hasUsableKey: boolean | null;
  /** Selectors that mail is signed with, and whose keys are gone, revoked or broken. */
  readonly brokenKeys: readonly string[];
  /** Whether an address is authorized by the SPF record, or is in the network of an MX host. */
  readonly isAuthorized: (address: string) => boolean;
  readonly isInMxNetwork: (address: string) => boolean;
}

/** What the latest check says about the conditions of enforcement. Without a check, nothing holds. */
export function publishedNow(
  results: CheckResults | undefined,
  usedSelectors: readonly string[],
): PublishedNow {
  if (results === undefined) {
    const nowhere = () => false;
    return {
      hasReportAddress: null,
      spfIsPermerror: null,
      hasUsableKey: null,
      brokenKeys: [],
      isAuthorized: nowhere,
      isInMxNetwork: nowhere,
    };
  }
  const { spf, dmarc, dkim, mx } = results;
  const mxNetworks = mx.hosts.flatMap(({ ip }) => {
    const address = ip === null ? undefined : parseIp(ip);
    return address === undefined ? [] : [prefixOf(address, address.family === 4 ? 24 : 64)];
  });
  return {
    hasReportAddress: isDmarcKnown(results) ? isReachable(dmarc) : null,
    spfIsPermerror: spf.state === 'unknown' ? null : spf.record !== null && !spf.valid,
    hasUsableKey: dkim.selectors.some(({ valid }) => valid) || (isComplete(dkim) ? false : null),
    brokenKeys: usedSelectors.filter((selector) => isBroken(selector, dkim)),
    isAuthorized: within(spf.flattenedIps.flatMap((network) => parsePrefix(network) ?? [])),
    isInMxNetwork: within(mxNetworks),
  };
}

/** A failed lookup of the authorization is not a missing one. */
const isReachable = ({ rua, ruaUsable }: DmarcResult): boolean =>
  ruaUsable ?? rua.some((uri) => reportHost(uri) !== null);

/** A selector that the check did not look up yet is not broken, and neither is one whose lookup failed. */
function isBroken(used: string, { selectors, findings }: DkimCheck): boolean {
  const found = selectors.find(({ selector }) => selector === used);
  if (found !== undefined) return !found.valid && found.state !== 'unknown';
  return findings.some(({ id, subject }) => GONE.has(id) && subject === used);
}

const GONE: ReadonlySet<string> = new Set(['dkim-selector-gone', 'dkim-selector-missing']);

/** Whether no lookup failed, so that there are no other keys at the known selectors. */
const isComplete = ({ state, selectors, findings }: DkimCheck): boolean =>
  state !== 'unknown' &&
  selectors.every((selector) => selector.state !== 'unknown') &&
  findings.every(({ id }) => id !== 'dkim-incomplete');

const within = (networks: readonly IpPrefix[]) => (text: string) => {
  const address = parseIp(text);
  return address !== undefined && networks.some((network) => contains(network, address));
};
