/** From the rows of a report to its summary. */
import { isSelector } from '../../../protocol/dkim/selector-syntax.ts';
import { canonicalName, organizationalDomain } from '../../../protocol/domain-name.ts';
import { isLargeReceiver } from '../../large-receivers.ts';
import { MAX_MESSAGES } from '../../limits.ts';
import type { DmarcRecordRow, DmarcReportHeader } from '../../report.ts';
import { memoized, normalizedAddress } from '../../values.ts';
import {
  disposition,
  MAX_DKIM_DOMAINS,
  MAX_NAME,
  MAX_REPORTER,
  override,
  type PublishedPolicy,
  type RecordSummary,
  type ReportFacts,
  type ReportSummary,
  type SignedMessages,
  spfResult,
} from './shapes.ts';
import { recordSums, signedSums } from './sums.ts';

/** Whether the mail with a report passed DMARC, null if unknown, and the domain that is authenticated then. */
interface ReportedBy {
  readonly authenticated: boolean | null;
  readonly authenticatedDomain?: string | undefined;
}

/**
 * The summary of a report with these rows, whose mail arrived like this. Reads the rows once, and never throws.
 *
 * @param signer The domain whose signatures are counted; none if it is undefined.
 */
export function summaryOf(
  header: DmarcReportHeader,
  mail: ReportedBy,
  rows: Iterable<DmarcRecordRow>,
  signer?: string,
): ReportSummary {
  const organizationOf = memoized(organizationalDomain);
  const facts = factsOf(header, mail);
  const counted = isLargeReceiver(facts.authenticatedDomain) ? signer : undefined;
  const sums = recordSums();
  const signed = signedSums();
  let messages = 0;
  for (const row of rows) {
    const count = Math.min(row.count, MAX_MESSAGES - messages);
    messages += count;
    sums.add({ ...recordOf(row, organizationOf), count });
    if (counted !== undefined) signed.add(signaturesIn(row, counted, count));
  }
  return {
    ...facts,
    ...{ reports: 1, records: sums.records() },
    ...(counted !== undefined && { signed: signed.bySelector() }),
  };
}

/**
 * The selectors with which `domain` signed the messages of a row, and whether a signature of each passed. One that did not pass
 * counts only in mail that passed by SPF: anybody can add it to other mail, such as a signed message that is sent again.
 */
function signaturesIn({ dkimResults, spf }: DmarcRecordRow, domain: string, count: number): SignedMessages {
  const passes = new Map<string, boolean>();
  for (const one of dkimResults) {
    const selector = canonicalName(one.selector ?? '');
    if (one.domain === domain && isSelector(selector))
      passes.set(selector, one.result === 'pass' || passes.get(selector) === true);
  }
  const counted = [...passes].filter(([, passed]) => passed || spf === 'pass');
  return Object.fromEntries(counted.map(([name, passed]) => [name, passed ? [count, 0] : [0, count]]));
}

function factsOf(header: DmarcReportHeader, { authenticated, ...mail }: ReportedBy): ReportFacts {
  const { orgName, discoveryMethod, specification, testing } = header;
  return {
    reporter: orgName.slice(0, MAX_REPORTER),
    specification,
    discoveryMethod: discoveryMethod === 'psl' || discoveryMethod === 'treewalk' ? discoveryMethod : null,
    authenticated,
    authenticatedDomain: authenticated === true ? (mail.authenticatedDomain ?? null) : null,
    policy: {
      domain: header.policyDomain,
      p: oneOf(disposition.options, header.policyP) ?? 'none',
      sp: oneOf(disposition.options, header.policySp),
      np: oneOf(disposition.options, header.policyNp),
      adkim: alignmentMode(header.policyAdkim),
      aspf: alignmentMode(header.policyAspf),
      pct: header.policyPct,
      testing,
    },
  };
}

const alignmentMode = (text: string): PublishedPolicy['adkim'] => (text === 's' ? 's' : 'r');

/** A row reduced to what decides DMARC, without its count. @param organizationOf The organizational domain of a name. */
export function recordOf(
  row: DmarcRecordRow,
  organizationOf: (name: string) => string,
): Omit<RecordSummary, 'count'> {
  const headerFrom = domainName(row.headerFrom);
  const evaluated = evaluatedSpf(row);
  return {
    sourceIp: normalizedAddress(row.sourceIp) ?? null,
    headerFrom,
    dkimDomains: passingDomains(row, headerFrom, organizationOf),
    mailFrom: domainName(evaluated?.domain ?? row.envelopeFrom ?? ''),
    spfResult: oneOf(spfResult.options, evaluated?.result ?? null),
    dkim: row.dkim === 'pass' ? 'pass' : 'fail',
    spf: row.spf === 'pass' ? 'pass' : 'fail',
    disposition: oneOf(disposition.options, row.disposition) ?? 'none',
    overrides: overridesOf(row),
  };
}

/** The SPF result for MAIL FROM, which is also the meaning of a result without a scope; else that for HELO. */
function evaluatedSpf({ spfResults }: DmarcRecordRow): DmarcRecordRow['spfResults'][number] | undefined {
  return spfResults.find(({ scope }) => scope !== 'helo') ?? spfResults[0];
}

function passingDomains(
  { dkimResults }: DmarcRecordRow,
  headerFrom: string | null,
  organizationOf: (name: string) => string,
): string[] {
  const passed = dkimResults
    .filter(({ result }) => result === 'pass')
    .map(({ domain }) => domainName(domain));
  const names = [...new Set(passed)].filter((name) => name !== null);
  if (names.length < 2 || headerFrom === null) return names.slice(0, MAX_DKIM_DOMAINS);
  const organization = organizationOf(headerFrom);
  const isAligned = (name: string) => organizationOf(name) === organization;
  const inOrder = [...names.filter(isAligned), ...names.filter((name) => !isAligned(name))];
  return inOrder.slice(0, MAX_DKIM_DOMAINS);
}

function overridesOf({ reasons }: DmarcRecordRow): RecordSummary['overrides'] {
  const types = reasons.map(({ type }) => oneOf(override.options, type) ?? 'other');
  return [...new Set(types)].sort();
}

const domainName = (text: string): string | null => (text === '' || text.length > MAX_NAME ? null : text);

const oneOf = <Value extends string>(values: readonly Value[], text: string | null): Value | null =>
  values.find((value) => value === text) ?? null;
