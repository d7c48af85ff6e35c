/** Recommended changes of the TLS-RPT and MTA-STS records, and the MTA-STS policy to serve. */

import { mailboxUse } from '../checks/report-mailbox.ts';
import { receivesMail } from '../checks/state.ts';
import { intendedUri } from '../protocol/dmarc/intended-uris.ts';
import { mxMatcher } from '../protocol/mta-sts/match.ts';
import { isMtaStsRecord, resemblesMtaStsRecord } from '../protocol/mta-sts/record.ts';
import { trimFoldingWhiteSpace } from '../protocol/tag-list.ts';
import { readTlsRptRecords } from '../protocol/tls-rpt/record.ts';
import { type Facts, type Proposal, withReplaced } from './facts.ts';

/** Safe changes of TLS-RPT. Reports never affect the delivery of mail. */
export async function safeTlsRpt(facts: Facts): Promise<readonly Proposal[]> {
  const { domain, mailbox } = facts;
  const name = `_smtp._tls.${domain}`;
  const set = await facts.valuesAt(name, 'TXT');
  if (set === undefined || mailbox === undefined || !receivesMail(facts.usageType)) return [];
  const { values } = set;
  const made = { class: 'safe', name, type: 'TXT' } as const;
  const { text, records } = readTlsRptRecords(values);
  if (text === null) {
    const reason = 'Requests reports about mail to the domain that could not be delivered with TLS.';
    return [{ ...made, after: [...values, `v=TLSRPTv1; rua=mailto:${mailbox}`], reason }];
  }
  if (records !== undefined) return [];
  const uris = urisOf(text);
  const rua = mailboxUse(uris, mailbox).isNamed ? uris : [...uris, `mailto:${mailbox}`];
  const reason = 'Sends reports to the mailbox of the domain too, and corrects the syntax of the record.';
  return [{ ...made, after: withReplaced(values, text, tlsRptRecord(rua, [text])), reason }];
}

/** Merges several TLS-RPT records, and replaces addresses that get no reports for the domain. */
export async function decideTlsRpt(facts: Facts): Promise<readonly Proposal[]> {
  const { domain, mailbox } = facts;
  const name = `_smtp._tls.${domain}`;
  const set = await facts.valuesAt(name, 'TXT');
  if (set === undefined || mailbox === undefined || !receivesMail(facts.usageType)) return [];
  const { text, records = text === null ? [] : [text] } = readTlsRptRecords(set.values);
  if (records.length === 0) return [];
  const own = `mailto:${mailbox}`;
  const published = [...new Set(records.flatMap(urisOf).map(intendedUri))];
  const { mistaken, isNamed } = mailboxUse(published, mailbox);
  const usable = published.filter((uri) => !mistaken.includes(uri) && isUsable(uri));
  const others = set.values.filter((value) => !records.includes(value));
  const after = [...others, tlsRptRecord(isNamed ? usable : [...usable, own], records)];
  const reason =
    'Keeps one record with the addresses that senders can report to. Check that no address was meant differently.';
  return [{ class: 'needs-decision', name, type: 'TXT', after, reason }];
}

/** All report URIs of a record: also those in duplicate fields, and those after a semicolon in place of a comma. */
function urisOf(text: string): readonly string[] {
  const uris: string[] = [];
  let isInRua = false;
  for (const field of text.split(';').slice(1).map(trimFoldingWhiteSpace)) {
    const [, rua] = /^rua[ \t]*=(.*)$/s.exec(field) ?? [];
    isInRua = rua !== undefined || (isInRua && isUsable(intendedUri(field)));
    if (isInRua) uris.push(...(rua ?? field).split(','));
  }
  return [...new Set(uris.map(trimFoldingWhiteSpace))].filter((uri) => uri !== '');
}

/** A record with these URIs, and with the other fields of the records that it replaces (RFC 8460 section 3 allows extensions). */
function tlsRptRecord(uris: readonly string[], replaced: readonly string[] = []): string {
  const fields = replaced.flatMap((text) => text.split(';').slice(1)).map(trimFoldingWhiteSpace);
  const extensions = fields.filter(
    (field) => /^[A-Za-z0-9][\w.-]{0,31}=\S/.test(field) && !/^rua=/.test(field),
  );
  return ['v=TLSRPTv1', `rua=${uris.join(',')}`, ...new Set(extensions)].join('; ');
}

function isUsable(uri: string): boolean {
  return readTlsRptRecords([tlsRptRecord([uri])]).findings.length === 0;
}

const sanitizedId = (text: string): string =>
  (/(?:^|;)[ \t]*id[ \t]*=([^;]*)/.exec(text)?.[1] ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 32) || '1';

/**
 * Announces the MTA-STS policy, if it cannot keep mail away: it is in testing mode, or it agrees with the MX hosts. Needs a decision
 * even so.
 */
export async function decideMtaSts(facts: Facts): Promise<readonly Proposal[]> {
  const { domain, results } = facts;
  const name = `_mta-sts.${domain}`;
  const set = await facts.valuesAt(name, 'TXT');
  if (set === undefined || !receivesMail(facts.usageType) || mailHosts(facts).length === 0) return [];
  const { values } = set;
  const records = values.filter((text) => isMtaStsRecord(text) || resemblesMtaStsRecord(text));
  const others = values.filter((value) => !records.includes(value));
  const [first] = records;
  if (records.length === 1 && results.mtaSts.valid) return [];
  const reason = effectOf(facts);
  if (reason === undefined) return [];
  const after = [...others, `v=STSv1; id=${first === undefined ? '1' : sanitizedId(first)}`];
  return [{ class: 'needs-decision', name, type: 'TXT', after, reason }];
}

/** What a valid record brings about; undefined if it would keep mail away, or if it would have no effect. */
function effectOf(facts: Facts): string | undefined {
  if (policyFile(facts) !== undefined)
    return 'Serve the policy first. In testing mode, senders report problems with TLS but still deliver the mail.';
  const { policyMode, findings } = facts.results.mtaSts;
  if (findings.some(({ id, severity }) => severity === 'error' && id.startsWith('mta-sts-policy-')))
    return undefined;
  if (policyMode === 'testing')
    return 'Senders then apply the policy that is served. In testing mode, they report problems with TLS but still deliver the mail.';
  return policyMode === 'enforce' && agreesWithMx(facts)
    ? 'Senders then apply the policy that is served, in enforce mode: they deliver only to hosts that it names and that have a valid certificate, as all MX hosts are and have now.'
    : undefined;
}

/** Whether the policy names all MX hosts, and all of them offer TLS with a valid certificate; false if that is unknown. */
function agreesWithMx({ results: { mx, mtaSts } }: Facts): boolean {
  const hasBadCertificate = mx.findings.some(
    ({ id, severity }) => severity !== 'notice' && id.startsWith('mx-certificate-'),
  );
  return (
    mx.tlsSupported === true &&
    !hasBadCertificate &&
    mx.records.map(({ exchange }) => exchange).every(mxMatcher(mtaSts.policyMx))
  );
}

/** A file to serve over HTTPS. */
export interface PolicyFile {
  readonly url: string;
  readonly content: string;
}

/** The policy to serve before the record is published, if the domain receives mail and has neither. */
export function policyFile(facts: Facts): PolicyFile | undefined {
  const hosts = mailHosts(facts);
  const { state, findings } = facts.results.mtaSts;
  const isMissing = state === 'absent' && findings.some(({ id }) => id === 'mta-sts-missing');
  if (!isMissing || !receivesMail(facts.usageType) || hosts.length === 0) return undefined;
  const lines = [
    'version: STSv1',
    'mode: testing',
    ...hosts.map((host) => `mx: ${host}`),
    'max_age: 604800',
    '',
  ];
  return { url: `https://mta-sts.${facts.domain}/.well-known/mta-sts.txt`, content: lines.join('\r\n') };
}

function mailHosts({ results }: Facts): readonly string[] {
  const hosts = results.mx.records.map(({ exchange }) => exchange);
  return [...new Set(hosts)].filter((host) => /^[a-z0-9_][a-z0-9_.-]*\.[a-z0-9-]+$/.test(host));
}
