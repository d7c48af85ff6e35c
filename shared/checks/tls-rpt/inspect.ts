/** The TLS-RPT check: whether a domain requests reports of TLS failures, and at which addresses (RFC 8460). */
import * as z from 'zod/mini';
import type { Network } from '../../network/ports.ts';
import { type Answer, type Dns, type MxRecord, whyFailed } from '../../protocol/dns.ts';
import { excerpts } from '../../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { tlsRptRules } from '../../protocol/findings/tls-rpt.ts';
import { isMtaStsRecord } from '../../protocol/mta-sts/record.ts';
import { acceptsNoMail } from '../../protocol/null-mx.ts';
import { readTlsRptRecords } from '../../protocol/tls-rpt/record.ts';
import { lookupTlsa } from '../../protocol/tlsa.ts';
import { outcomeOf } from '../outcome.ts';
import { mailboxUse, type ReportMailboxOption } from '../report-mailbox.ts';
import { type TlsRptResult, tlsRptResult } from './result.ts';

/** Maximum number of MX hosts whose TLSA records are looked up. Of more, nothing is said. */
const MAX_HOSTS = 10;

const raise = raiser(tlsRptRules);

/** Checks the TLS-RPT record of `domain`. The state is `unknown` if the lookup failed. Never throws. */
export async function inspectTlsRpt(
  domain: string,
  { dns }: Pick<Network, 'dns'>,
  { mailbox }: ReportMailboxOption = {},
): Promise<TlsRptResult> {
  const hosts = dns.lookup(domain, 'MX', { dnssec: true });
  const [answer, mx, withoutPolicy] = await Promise.all([
    dns.lookup(`_smtp._tls.${domain}`, 'TXT'),
    hosts,
    hasNoPolicy(domain, dns, hosts),
  ]);
  if (answer.status === 'unavailable') {
    const reason = whyFailed(answer);
    return withoutRecord(raise('tls-rpt-record-unavailable', { reason }));
  }
  const published = readTlsRptRecords(answer.status === 'found' ? answer.records : []);
  const { text, record, valid, findings, ...recordList } = published;
  if (text === null)
    return withoutRecord(acceptsNoMail(mx) ? raise('tls-rpt-not-needed') : raise('tls-rpt-missing'));
  const withoutEffect = valid && withoutPolicy ? [raise('tls-rpt-nothing-to-report', { domain })] : [];
  const { version = null, rua = [] } = record ?? {};
  const aboutMailbox = record === null || mailbox === undefined ? [] : mailboxFindings(domain, rua, mailbox);
  return {
    ...outcomeOf([...findings, ...withoutEffect, ...aboutMailbox]),
    record: text,
    ...recordList,
    version,
    rua,
    valid,
  };
}

function mailboxFindings(domain: string, rua: readonly string[], mailbox: string): readonly Finding[] {
  const { isNamed, mistaken } = mailboxUse(rua, mailbox);
  if (mistaken.length > 0) {
    return [raise('tls-rpt-wrong-mailbox', { domain, uris: excerpts(mistaken), mailbox })];
  }
  return isNamed ? [] : [raise('tls-rpt-mailbox-not-named', { mailbox })];
}

/** Whether the domain certainly has neither an MTA-STS record nor a TLSA record for an MX host. */
async function hasNoPolicy(domain: string, dns: Dns, published: Promise<Answer<MxRecord>>): Promise<boolean> {
  const [sts, mx] = await Promise.all([dns.lookup(`_mta-sts.${domain}`, 'TXT'), published]);
  const announced = sts.status === 'found' && sts.records.some(isMtaStsRecord);
  if (announced || sts.status === 'unavailable' || mx.status === 'unavailable') return false;
  const hosts = mx.status === 'found' ? mx.records.map(({ exchange }) => exchange) : [];
  const named = [...new Set(hosts)].filter((host) => host !== '');
  if (named.length > MAX_HOSTS) return false;
  const tlsa = await Promise.all(named.map((host) => lookupTlsa(host, dns)));
  return tlsa.every(({ status }) => status === 'absent');
}

function withoutRecord(finding: Finding): TlsRptResult {
  return z.parse(tlsRptResult, outcomeOf([finding]));
}
