/** The BIMI check: record, DMARC, logo and authority evidence of a domain. */
import * as z from 'zod/mini';
import type { Network, Web } from '../../network/ports.ts';
import { gunzip, isGzip } from '../../protocol/bimi/gunzip.ts';
import { inspectEvidence } from '../../protocol/bimi/mark-certificate.ts';
import { type BimiRecord, readBimiRecords } from '../../protocol/bimi/record.ts';
import { overdue } from '../../protocol/certificate-lifetime.ts';
import { type Discovery, discoverPolicy } from '../../protocol/dmarc/discover.ts';
import { type Dns, whyFailed } from '../../protocol/dns.ts';
import { organizationalDomain } from '../../protocol/domain-name.ts';
import { bimiRules } from '../../protocol/findings/bimi.ts';
import { bimiLogoRules } from '../../protocol/findings/bimi-logo.ts';
import { type Finding, hasErrors, raiser } from '../../protocol/findings/finding.ts';
import type { PublishedRecord } from '../../protocol/published-record.ts';
import { dayAt } from '../../protocol/time.ts';
import { isInEffect, outcomeOf } from '../outcome.ts';
import { type Download, readDownload } from '../web-answer.ts';
import { type BimiResult, bimiResult } from './result.ts';

export interface BimiOptions {
  /** The selector to check. Default: `default`. */
  readonly selector?: string;
  /** Trusted roots of mark certificates, in PEM. Without any, no mark certificate counts as verified. */
  readonly anchors?: readonly string[];
}

/** More than the 32 kB of the profile, so that a logo that is slightly too large is still checked. */
const MAX_LOGO_DOWNLOAD = 65_536;

/** A chain of three certificates with a base64-encoded logo of 32 kB is less than a third of this size. */
const MAX_EVIDENCE_DOWNLOAD = 262_144;

const TIMEOUT_MILLISECONDS = 10_000;
const MAX_REDIRECTS = 2;

const raise = raiser({ ...bimiRules, ...bimiLogoRules });

/**
 * Checks the BIMI record of `domain`, or else that of its organizational domain. The DMARC lookups run concurrently;
 * logo and evidence are fetched concurrently. The state is `unknown` if one of them failed and the others have no
 * error. Never throws.
 */
export async function inspectBimi(
  domain: string,
  { dns, web, clock }: Network,
  { selector = 'default', anchors = [] }: BimiOptions = {},
): Promise<BimiResult> {
  const discovery = discoverPolicy(domain, dns);
  const published = await findRecord(domain, selector, discovery, dns);
  if (published.status === 'unavailable') {
    const { name, reason } = published;
    return incomplete({ selector }, [raise('bimi-record-unavailable', { name, reason })]);
  }
  const { text, record, home } = published;
  if (text === null) return incomplete({ selector }, [raise('bimi-missing')]);
  const recordFindings = [
    ...published.findings,
    ...(home === domain ? [] : [raise('bimi-inherited', { organizationalDomain: home })]),
  ];
  const several = published.records === undefined ? {} : { records: published.records };
  const { version = null, location = null, authority = null } = record ?? {};
  const facts = { selector, record: text, ...several, version, location, authority };
  if (record === null || !published.valid) return incomplete(facts, recordFindings);
  if (record.declined) return incomplete(facts, [...recordFindings, raise('bimi-declined')]);

  const [logo, evidence, unenforced] = await Promise.all([
    fetchLogo(record, web),
    download(record.authority, MAX_EVIDENCE_DOWNLOAD, web),
    enforcementFindings(domain, discovery, dns),
  ]);
  const ending = hostsEnding([logo.download, evidence], clock.now());
  const findings = [...recordFindings, ...unenforced, ...logo.findings, ...ending];
  if (evidence === null) findings.push(raise('bimi-no-evidence'));
  else if (evidence.status !== 'done') findings.push(notFetched('authority evidence', evidence));
  else {
    const now = clock.now();
    const domains = [home, organizationOf(await discovery, domain)];
    const verdict = inspectEvidence(evidence.body, { selector, domains, logo: logo.svg, anchors, now });
    findings.push(...verdict.findings);
  }
  const outcome = outcomeOf(findings);
  return {
    ...facts,
    ...outcome,
    logoFetched: logo.svg !== null,
    logoValid: logo.svg !== null && !hasErrors(logo.findings),
    logoContentType: logo.mediaType,
    valid: isInEffect(outcome),
  };
}

/** The result of a check that ended before the logo. */
function incomplete(
  facts: Pick<BimiResult, 'selector'> & Partial<BimiResult>,
  findings: readonly Finding[],
): BimiResult {
  return z.parse(bimiResult, { ...facts, ...outcomeOf(findings) });
}

type FoundRecord =
  | (PublishedRecord<BimiRecord> & { readonly status: 'asked'; readonly home: string })
  | { readonly status: 'unavailable'; readonly name: string; readonly reason: string };

/** Assertion Record Discovery (section 7.2). The record of the organizational domain is looked up in advance. */
async function findRecord(
  domain: string,
  selector: string,
  discovery: Promise<Discovery>,
  dns: Dns,
): Promise<FoundRecord> {
  const lookUp = async (home: string): Promise<FoundRecord> => {
    const name = `${selector}._bimi.${home}`;
    const answer = await dns.lookup(name, 'TXT');
    if (answer.status === 'unavailable') return { status: 'unavailable', name, reason: whyFailed(answer) };
    return { status: 'asked', home, ...readBimiRecords(answer.status === 'found' ? answer.records : []) };
  };
  const inherited = discovery.then((known) => {
    const home = organizationOf(known, domain);
    return home === domain ? null : lookUp(home);
  });
  const own = await lookUp(domain);
  if (own.status === 'unavailable' || own.text !== null) return own;
  return (await inherited) ?? own;
}

/** The organizational domain as DMARC determines it, or by the public suffix list if a DMARC lookup failed. */
function organizationOf(discovery: Discovery, domain: string): string {
  const found = discovery.status === 'unavailable' ? null : discovery.organizationalDomain;
  return found ?? organizationalDomain(domain);
}

/** Section 7.1: the policies of the domain and of its organizational domain must apply to all mail that fails. */
async function enforcementFindings(
  domain: string,
  discovery: Promise<Discovery>,
  dns: Dns,
): Promise<readonly Finding[]> {
  const own = await discovery;
  const findings = weaknessesOf(own, domain);
  const above = organizationOf(own, domain);
  const isOther = own.status === 'found' && own.recordDomain === domain && above !== domain;
  return isOther ? [...findings, ...weaknessesOf(await discoverPolicy(above, dns), above)] : findings;
}

function weaknessesOf(discovery: Discovery, domain: string): readonly Finding[] {
  if (discovery.status === 'unavailable') {
    const { name, reason } = discovery;
    return [raise('bimi-dmarc-unavailable', { name, reason })];
  }
  const found = discovery.status === 'absent' ? whyNone(discovery) : weaknessOf(discovery);
  return found === undefined ? [] : [raise('bimi-dmarc-not-enforced', { domain, found })];
}

const whyNone = ({ discarded }: Discovery & { readonly status: 'absent' }): string =>
  discarded.length === 0
    ? 'there is no DMARC record'
    : 'there are several DMARC records, and receivers use none';

function weaknessOf({ policy, effectivePolicy, record }: Discovery & { readonly status: 'found' }) {
  if (policy === null || record.applied === null) return 'its DMARC record is void';
  const applied = [policy, record.applied.p];
  if (applied.includes('none')) return 'the policy is none';
  if (effectivePolicy === 'none') return 't=y lowers the policy to none';
  if (record.sp === 'none') return 'the subdomain policy is none';
  if (applied.includes('quarantine') && record.pct < 100)
    return `pct=${record.pct} exempts some mail from quarantine`;
  return undefined;
}

async function download(url: string | null, maxBytes: number, web: Web): Promise<Download | null> {
  if (url === null) return null;
  const timeoutMilliseconds = TIMEOUT_MILLISECONDS;
  return readDownload(await web.get({ url, maxBytes, timeoutMilliseconds, redirects: MAX_REDIRECTS }));
}

/** Findings about certificates of web servers that should have been renewed, one for each host. */
function hostsEnding(downloads: readonly (Download | null)[], now: Date): readonly Finding[] {
  const done = downloads.flatMap((one) => (one?.status === 'done' ? [one] : []));
  const hosts = new Map(done.map(({ host, certificate }) => [host, certificate]));
  return [...hosts].flatMap(([host, certificate]) => {
    const late = overdue(certificate, now);
    if (late === undefined) return [];
    const date = dayAt(certificate.validTo);
    return [raise('bimi-host-certificate-expiring', { host, date, ...late })];
  });
}

interface FetchedLogo {
  readonly download: Download | null;
  /** Uncompressed; null if it could not be fetched or decompressed. */
  readonly svg: Uint8Array | null;
  readonly mediaType: string | null;
  readonly findings: readonly Finding[];
}

async function fetchLogo({ location }: BimiRecord, web: Web): Promise<FetchedLogo> {
  const answer = await download(location, MAX_LOGO_DOWNLOAD, web);
  if (answer === null) return { download: answer, svg: null, mediaType: null, findings: [] };
  if (answer.status !== 'done') {
    return { download: answer, svg: null, mediaType: null, findings: [notFetched('logo', answer)] };
  }
  const { body, mediaType } = answer;
  const findings: Finding[] = [];
  if (mediaType !== 'image/svg+xml') findings.push(raise('bimi-logo-media-type', { mediaType }));
  if (isGzip(body)) findings.push(raise('bimi-logo-compressed'));
  const svg = isGzip(body) ? gunzip(body, MAX_LOGO_DOWNLOAD) : body;
  if (svg === undefined) {
    const unreadable = raise('bimi-logo-unreadable', { line: 1, detail: 'the file cannot be decompressed' });
    return { download: answer, svg: null, mediaType, findings: [...findings, unreadable] };
  }
  // On demand, because most domains have no logo, and this imports the XML parser.
  const { inspectLogo } = await import('../../protocol/bimi/svg.ts');
  return { download: answer, svg, mediaType, findings: [...findings, ...inspectLogo(svg).findings] };
}

function notFetched(what: string, { status, detail }: { readonly status: string; readonly detail: string }) {
  const id = status === 'unavailable' ? 'bimi-fetch-unavailable' : 'bimi-fetch-failed';
  return raise(id, { what, detail });
}
