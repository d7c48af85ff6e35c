/** The MTA-STS check: record, policy and MX records of a domain, and whether they agree (RFC 8461). */
import * as z from 'zod/mini';
import type { Network, SmtpAnswer, WebAnswer } from '../../network/ports.ts';
import { overdue } from '../../protocol/certificate-lifetime.ts';
import { type Answer, type MxRecord, whyFailed } from '../../protocol/dns.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { mtaStsRules } from '../../protocol/findings/mta-sts.ts';
import { mxMatcher } from '../../protocol/mta-sts/match.ts';
import {
  MAX_POLICY_OCTETS,
  type MtaStsPolicy,
  type ParsedPolicy,
  parsePolicy,
} from '../../protocol/mta-sts/policy.ts';
import { readMtaStsRecords } from '../../protocol/mta-sts/record.ts';
import { acceptsNoMail } from '../../protocol/null-mx.ts';
import { dayAt } from '../../protocol/time.ts';
import { lookupAddresses, probeAddresses } from '../mx/mail-host.ts';
import { isInEffect, outcomeOf } from '../outcome.ts';
import type { CheckOutcome } from '../result-fields.ts';
import { type DownloadFailed, readDownload } from '../web-answer.ts';
import { type MtaStsResult, mtaStsResult } from './result.ts';

/** RFC 8461 section 3.3 suggests a timeout of one minute for senders; a check cannot wait that long. */
const POLICY_TIMEOUT_MILLISECONDS = 10_000;

/** RFC 8461 section 3.2 expects weeks. A policy cached for less than a day hardly outlives an attack. */
const LOW_MAX_AGE_SECONDS = 86_400;

/** Maximum number of MX hosts to probe, the most preferred first. */
const MAX_HOSTS = 10;

const raise = raiser(mtaStsRules);

/**
 * Checks MTA-STS for `domain`. Record, policy and MX records are fetched concurrently; without a record, the policy has
 * no effect. The MX hosts that the policy names are probed and their certificates compared with it. A host that cannot
 * be checked has a finding, but says nothing about the policy. The state is `unknown` if fetching the record, the
 * policy or the MX records failed and the others have no error. Never throws.
 */
export async function inspectMtaSts(domain: string, network: Network): Promise<MtaStsResult> {
  const { dns, web, clock } = network;
  const host = `mta-sts.${domain}`;
  const [records, answer, mx] = await Promise.all([
    dns.lookup(`_mta-sts.${domain}`, 'TXT'),
    web.get({
      url: `https://${host}/.well-known/mta-sts.txt`,
      maxBytes: MAX_POLICY_OCTETS,
      timeoutMilliseconds: POLICY_TIMEOUT_MILLISECONDS,
    }),
    dns.lookup(domain, 'MX'),
  ]);
  const fetched = readAnswer(answer, host, clock.now());
  if (records.status === 'unavailable') {
    const reason = whyFailed(records);
    return result(outcomeOf([raise('mta-sts-record-unavailable', { reason })]), fetched.parsed);
  }
  const published = readMtaStsRecords(records.status === 'found' ? records.records : []);
  const { text, record } = published;
  if (text === null) {
    const mode = fetched.parsed?.policy?.mode;
    if (mode !== undefined)
      return result(outcomeOf([raise('mta-sts-policy-without-record', { mode })]), fetched.parsed);
    const missing = acceptsNoMail(mx) ? raise('mta-sts-not-needed') : raise('mta-sts-missing', {});
    return result(outcomeOf([missing]), null);
  }
  const policy = fetched.parsed?.policy ?? null;
  const compared = policy === null ? [] : await compareWithMx(policy, mx, domain, network);
  const outcome = outcomeOf([...published.findings, ...fetched.findings, ...compared]);
  return {
    ...result(outcome, fetched.parsed),
    dnsRecord: text,
    ...(published.records === undefined ? {} : { records: published.records }),
    dnsVersion: record?.version ?? null,
    dnsId: record?.id ?? null,
    valid: isInEffect(outcome),
  };
}

interface Fetched {
  /** Null if the host did not serve a policy. */
  readonly parsed: ParsedPolicy | null;
  readonly findings: readonly Finding[];
}

function readAnswer(answer: WebAnswer, host: string, now: Date): Fetched {
  const download = readDownload(answer);
  if (download.status === 'unavailable') {
    return { parsed: null, findings: [raise('mta-sts-policy-unavailable', { detail: download.detail })] };
  }
  if (download.status === 'failed') return { parsed: null, findings: [failure(download, host)] };

  const { body, mediaType, certificate } = download;
  const parsed = parsePolicy(body);
  const findings = [...parsed.findings, ...(parsed.policy === null ? [] : adviceOn(parsed.policy))];
  if (mediaType !== 'text/plain') findings.push(raise('mta-sts-policy-media-type', { mediaType }));
  const late = overdue(certificate, now);
  if (late !== undefined) {
    const date = dayAt(certificate.validTo);
    findings.push(raise('mta-sts-policy-certificate-expiring', { host, date, ...late }));
  }
  return { parsed, findings };
}

function failure({ reason, detail }: DownloadFailed, host: string): Finding {
  switch (reason) {
    case 'no-address':
      return raise('mta-sts-policy-host-missing', { host });
    case 'certificate':
      return raise('mta-sts-policy-certificate', { host, detail });
    case 'redirect':
      return raise('mta-sts-policy-redirected');
    case 'too-large':
      return raise('mta-sts-policy-too-large', { limit: MAX_POLICY_OCTETS });
    case 'status':
    case 'tls':
    case 'address-not-public':
    case 'invalid-url':
      return raise('mta-sts-policy-not-served', { detail });
  }
}

function adviceOn({ mode, maxAge }: MtaStsPolicy): Finding[] {
  if (mode === 'none') return [raise('mta-sts-mode-none')];
  const findings = mode === 'testing' ? [raise('mta-sts-mode-testing')] : [];
  if (maxAge < LOW_MAX_AGE_SECONDS) findings.push(raise('mta-sts-max-age-low', { seconds: maxAge }));
  return findings;
}

/** RFC 8461 section 4.1: in enforce mode, senders deliver only to hosts that the policy names. */
async function compareWithMx(
  policy: MtaStsPolicy,
  mx: Answer<MxRecord>,
  domain: string,
  network: Network,
): Promise<Finding[]> {
  if (policy.mode === 'none') return [];
  if (mx.status === 'unavailable') return [raise('mta-sts-mx-unavailable', { reason: whyFailed(mx) })];
  const records = mx.status === 'found' ? mx.records : [];
  const hosts = records.toSorted((a, b) => a.preference - b.preference).map(({ exchange }) => exchange);
  const named = [...new Set(hosts)].filter((host) => host !== '');
  if (named.length === 0) return [raise('mta-sts-no-mx', { domain })];
  const isCovered = mxMatcher(policy.mx);
  const id = policy.mode === 'enforce' ? 'mta-sts-mx-not-covered' : 'mta-sts-mx-not-covered-yet';
  const uncovered = named.filter((host) => !isCovered(host)).map((host) => raise(id, { host }));
  const covered = named.filter(isCovered).slice(0, MAX_HOSTS);
  return [...uncovered, ...(await visitHosts(policy, covered, network))];
}

/** RFC 8461 section 4.2: a host must offer STARTTLS and present a trusted certificate that matches its name. */
async function visitHosts(
  { mode }: MtaStsPolicy,
  hosts: readonly string[],
  network: Network,
): Promise<Finding[]> {
  const id = mode === 'enforce' ? 'mta-sts-mx-not-secure' : 'mta-sts-mx-not-secure-yet';
  const visits = await Promise.all(
    hosts.map(async (host) => {
      const lookups = await lookupAddresses(host, network.dns);
      return { host, answers: await probeAddresses(host, lookups, network.smtp) };
    }),
  );
  const findings = visits.flatMap(({ host, answers }) => {
    const problems = answers.flatMap((answer) => {
      const problem = problemOf(answer);
      return problem === undefined ? [] : [raise(id, { host, ip: answer.evidence.address, problem })];
    });
    return problems.slice(0, 1);
  });
  const silent = visits.filter(
    ({ answers }) => answers.length > 0 && answers.every(({ status }) => status !== 'found'),
  );
  const failedLookups = silent.map(({ host }) => host);
  return failedLookups.length === 0
    ? findings
    : [...findings, raise('mta-sts-mx-not-asked', { hosts: failedLookups })];
}

function problemOf(answer: SmtpAnswer): string | undefined {
  if (answer.status !== 'found') return undefined;
  const { starttls } = answer;
  if (starttls.status === 'not-offered') return 'it does not offer STARTTLS';
  if (starttls.status === 'failed') return `STARTTLS fails (${excerpt(starttls.detail)})`;
  const { matchesName, trusted, untrustedReason = 'unknown' } = starttls.certificate;
  if (!matchesName) return 'its certificate does not match the host name';
  return trusted ? undefined : `its certificate is not trusted (${excerpt(untrustedReason)})`;
}

/** The same result for a domain whose mail DANE protects, so that what is missing is not called worse than it is. */
export function besideDane(mtaSts: MtaStsResult, daneSupported: boolean | null): MtaStsResult {
  if (daneSupported !== true) return mtaSts;
  const findings = mtaSts.findings.map((found) =>
    found.id === 'mta-sts-missing' ? raise('mta-sts-missing', { dane: true }) : found,
  );
  return { ...mtaSts, findings };
}

/** The result without a record. The fields of an invalid policy are shown as published. */
function result(outcome: CheckOutcome, parsed: ParsedPolicy | null): MtaStsResult {
  const maxAge = parsed?.fields.get('max_age');
  return z.parse(mtaStsResult, {
    ...outcome,
    policyFetched: parsed !== null,
    policyVersion: parsed?.fields.get('version'),
    policyMode: parsed?.fields.get('mode'),
    policyMx: parsed?.mx,
    policyMaxAge: maxAge !== undefined && /^\d{1,10}$/.test(maxAge) ? Number(maxAge) : null,
  });
}
