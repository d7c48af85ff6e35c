/** The DMARC check: the policy that applies to a domain, and its quality (RFC 9989, RFC 9990 section 4). */
import * as z from 'zod/mini';
import type { Network } from '../../network/ports.ts';
import { type DiscoveredPolicy, discoverPolicy } from '../../protocol/dmarc/discover.ts';
import {
  MAX_DESTINATIONS,
  type ReportDestination,
  reportDestinations,
  reportHosts,
} from '../../protocol/dmarc/external-reports.ts';
import { intendedUris } from '../../protocol/dmarc/intended-uris.ts';
import { isLookalike } from '../../protocol/dmarc/lookalike.ts';
import { isDmarcRecord, parseDmarcRecord } from '../../protocol/dmarc/record.ts';
import { isLookupName } from '../../protocol/domain-name.ts';
import { dmarcRules } from '../../protocol/findings/dmarc.ts';
import { excerpts } from '../../protocol/findings/excerpt.ts';
import { type Finding, hasErrors, raiser } from '../../protocol/findings/finding.ts';
import { inspectAgreement } from '../dnssec/name-servers.ts';
import { outcomeOf, withFindings } from '../outcome.ts';
import { mailboxUse, type ReportMailboxOption } from '../report-mailbox.ts';
import { type DmarcResult, dmarcResult } from './result.ts';

const raise = raiser(dmarcRules);

/**
 * Finds and checks the DMARC record that applies to `domain`. A domain without a record of its own inherits one:
 * `policyDomain` is the domain of that record, the fields are those of that record, and `effectivePolicy` is the policy
 * that applies to `domain`. The state is `unknown` if a lookup that decides failed.
 */
export async function inspectDmarc(
  domain: string,
  network: Pick<Network, 'dns' | 'authorities'>,
  { mailbox }: ReportMailboxOption = {},
): Promise<DmarcResult> {
  const own = inspectServers(domain, network);
  const [result] = await Promise.all([
    inspectPolicy(domain, network, mailbox),
    lookUpUnreadDestinations(domain, network.dns),
  ]);
  const { policyDomain } = result;
  const isInherited = policyDomain !== null && policyDomain !== domain;
  const above = isInherited ? await inspectServers(policyDomain, network) : [];
  return withFindings(result, [...(await own), ...above]);
}

async function inspectPolicy(
  domain: string,
  network: Pick<Network, 'dns'>,
  mailbox: string | undefined,
): Promise<DmarcResult> {
  const discovery = await discoverPolicy(domain, network.dns);
  if (discovery.status === 'unavailable') {
    const { name, reason } = discovery;
    return z.parse(dmarcResult, outcomeOf([raise('dmarc-unavailable', { name, reason })]));
  }
  if (discovery.status === 'absent') {
    // A record that receivers discard has to be corrected, not published once more.
    const isDiscarded = discovery.findings.some(({ severity }) => severity === 'error');
    const missing = isDiscarded ? [] : [raise('dmarc-missing', { domain })];
    const outcome = outcomeOf([...discovery.findings, ...missing]);
    const [record = null] = discovery.discarded;
    return z.parse(dmarcResult, { ...outcome, record, ...several(discovery) });
  }
  const { record, text, recordDomain, organizationalDomain, effectivePolicy } = discovery;
  const home = recordDomain === domain ? organizationalDomain : recordDomain;
  const destinations = await reportDestinations(record, recordDomain, home, network.dns);
  const placed = placeFindings(domain, discovery);
  const hasIgnored = placed.some(({ id }) => id === 'dmarc-subdomain-policy-ignored');
  const findings = [
    ...discovery.findings.filter(
      ({ id }) =>
        // The owner of an inherited record has another report mailbox.
        !(id === 'dmarc-missing-rua' && recordDomain !== domain) &&
        !(id === 'dmarc-weaker-subdomain-policy' && hasIgnored),
    ),
    ...placed,
    ...destinations.flatMap(destinationFindings),
    ...limitFindings(reportHosts(record).length),
    ...(mailbox === undefined ? [] : mailboxFindings(domain, discovery, mailbox)),
  ];
  return {
    ...outcomeOf(findings),
    record: text,
    ...several(discovery),
    version: 'DMARC1',
    policy: record.p,
    subdomainPolicy: record.sp,
    nonexistentSubdomainPolicy: record.np,
    percentage: record.pct,
    aspf: record.aspf,
    adkim: record.adkim,
    rua: record.rua.map(({ uri }) => uri),
    ruf: record.ruf.map(({ uri }) => uri),
    ruaUsable: isUsable(destinations),
    valid: !hasErrors(findings),
    policyDomain: recordDomain,
    effectivePolicy,
    testing: record.t === 'y',
  };
}

/**
 * Looks up whether reports to addresses that reporters do not read as they are written are authorized. No result depends on it,
 * but the recommended change that corrects them does, and it has only the lookups of the check run.
 */
async function lookUpUnreadDestinations(domain: string, dns: Network['dns']): Promise<void> {
  const name = `_dmarc.${domain}`;
  if (!isLookupName(name)) return;
  const answer = await dns.lookup(name, 'TXT');
  const texts = answer.status === 'found' ? answer.records : [];
  const meant = texts.filter((text) => isDmarcRecord(text) || isLookalike(text));
  const [only] = meant.length === 1 ? meant : [];
  const read = only === undefined ? undefined : parseDmarcRecord(only);
  const known = read?.ok === true ? reportHosts(read.record) : [];
  const uris = meant.flatMap(intendedUris).filter(({ host }) => host !== null && !known.includes(host));
  if (uris.length > 0) await reportDestinations({ rua: uris, ruf: [] }, domain, null, dns);
}

function inspectServers(domain: string, network: Pick<Network, 'dns' | 'authorities'>) {
  const name = `_dmarc.${domain}`;
  return inspectAgreement(network, { domain, name, type: 'TXT', records: 'DMARC', print: printDmarc });
}

/** Other TXT records may differ between name servers. */
function printDmarc(text: string): string | undefined {
  return isDmarcRecord(text) ? text : undefined;
}

function several({ discarded }: Pick<DiscoveredPolicy, 'discarded'>): Pick<DmarcResult, 'records'> {
  return discarded.length > 0 ? { records: discarded } : {};
}

/** Findings that follow from the location of the record. */
function placeFindings(domain: string, discovery: DiscoveredPolicy): readonly Finding[] {
  const { record, recordDomain, organizationalDomain, policy } = discovery;
  const findings: Finding[] = [];
  if (policy === 'none') findings.push(raise('dmarc-monitoring-only', { domain }));
  if (recordDomain !== domain) {
    const tag = record[discovery.appliedTag] === null ? 'p' : discovery.appliedTag;
    findings.push(raise('dmarc-inherited', { domain, policyDomain: recordDomain, tag }));
  } else if (record.psd === 'y') {
    findings.push(raise('dmarc-claims-public-suffix', { domain }));
  } else if (
    organizationalDomain !== null &&
    organizationalDomain !== domain &&
    (record.sp ?? record.np) !== null
  ) {
    findings.push(raise('dmarc-subdomain-policy-ignored', { organizationalDomain }));
  }
  return findings;
}

/** Whether reports reach an address in `rua`; null if that depends on a lookup that failed. */
function isUsable(destinations: readonly ReportDestination[]): boolean | null {
  const statuses = destinations.filter(({ tags }) => tags.includes('rua')).map(({ status }) => status);
  if (statuses.some((status) => status === 'inside' || status === 'authorized')) return true;
  return statuses.includes('unknown') ? null : false;
}

function destinationFindings({ host, tags, name, status }: ReportDestination): readonly Finding[] {
  switch (status) {
    case 'inside':
    case 'authorized':
      return [];
    case 'unauthorized':
      return [raise('dmarc-unauthorized-destination', { host, tags, name })];
    case 'foreign-override':
      return [raise('dmarc-foreign-override', { host, name })];
    case 'unknown':
      return [raise('dmarc-destination-unknown', { host })];
  }
}

function limitFindings(count: number): readonly Finding[] {
  return count > MAX_DESTINATIONS
    ? [raise('dmarc-many-destinations', { count, limit: MAX_DESTINATIONS })]
    : [];
}

/** An inherited record may name the mailbox of its own domain, which then receives the reports for both domains. */
function mailboxFindings(
  domain: string,
  { record, recordDomain }: DiscoveredPolicy,
  mailbox: string,
): readonly Finding[] {
  const useOf = (tag: 'rua' | 'ruf') =>
    mailboxUse(
      record[tag].map(({ uri }) => uri),
      mailbox,
    );
  const wrong = (['rua', 'ruf'] as const).flatMap((tag) => {
    const { mistaken } = useOf(tag);
    return mistaken.length === 0 ? [] : [{ domain, tag, uris: excerpts(mistaken), mailbox }];
  });
  if (wrong.length > 0) {
    return recordDomain === domain ? wrong.map((args) => raise('dmarc-wrong-mailbox', args)) : [];
  }
  // Without a rua tag, there is a finding about the tag.
  return record.rua.length === 0 || useOf('rua').isNamed
    ? []
    : [raise('dmarc-mailbox-not-named', { mailbox })];
}
