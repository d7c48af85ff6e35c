/** What an MX host said at one of its addresses, turned into facts and findings. No network here. */
import type { CertificateFacts, SmtpAnswer } from '../network/ports.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../protocol/findings/finding.ts';
import { mxRules } from '../protocol/findings/mx.ts';
import { mxTlsRules } from '../protocol/findings/mx-tls.ts';
import type { DaneVerdict } from './mx-dane.ts';
import type { MxHost } from './results.ts';

const raise = raiser({ ...mxRules, ...mxTlsRules });

/** Certificates that live for a week exist; one that ends sooner than this is late in any case. */
const EXPIRING_MILLISECONDS = 5 * 86_400_000;
const OLD_PROTOCOLS: readonly string[] = ['SSLv3', 'TLSv1', 'TLSv1.1'];
const WEAK_CIPHER = /NULL|EXP|RC4|DES|MD5|ADH|AECDH/;

/**
 * What becomes of mail: `accepts`; `denies` and `unreachable` for good (a 5xx; refused, not public, no address); or
 * `unknown`, where we could not ask or were put off.
 */
export type Reception = 'accepts' | 'denies' | 'unreachable' | 'unknown';

export function receptionOf(answer: SmtpAnswer): Reception {
  if (refusesUs(answer)) return 'unknown';
  switch (answer.status) {
    case 'found':
      if (answer.recipient === 'rejected') return 'denies';
      return answer.recipient === 'deferred' ? 'unknown' : 'accepts';
    case 'rejected':
      return answer.reason === 'address-not-public' ? 'unreachable' : 'denies';
    case 'unavailable':
      return answer.reason === 'connection-refused' ? 'unreachable' : 'unknown';
  }
}

/** Words of refusals that are about the client's address, which says nothing about the domain. */
const ABOUT_CLIENT =
  /\b(spamhaus|spamcop|barracuda|sorbs|dnsbl|rbl|(?:black|block|deny) ?list(?:ed)?|blocked using|banned|reputation|reverse dns|rdns|ptr record|dynamic ip|residential)\b/i;

/**
 * Whether a host turned us away for who we are: a permanent refusal for reasons of policy (RFC 3463 section 3.8, or
 * without an enhanced code) that speaks of blocklists or of our address.
 */
function refusesUs(answer: SmtpAnswer): boolean {
  const { status, evidence } = answer;
  const refused = status === 'rejected' || (status === 'found' && answer.recipient === 'rejected');
  const { reply = '' } = evidence;
  const isOfMailbox = /^\d{3} 5\.[^7]\./.test(reply);
  return refused && !isOfMailbox && ABOUT_CLIENT.test(reply);
}

/** How mail on its way to a host is protected: 0 not at all, 1 by TLS with flaws, 2 as it should be. */
export type Protection = 0 | 1 | 2;

/** Null where the host could not be asked; `findings` are those of `tlsFindings`. */
export function protectionOf(answer: SmtpAnswer, findings: readonly Finding[]): Protection | null {
  if (answer.status !== 'found') return null;
  if (answer.starttls.status !== 'established') return 0;
  return findings.some(({ severity }) => severity === 'warning') ? 1 : 2;
}

/** The TLS fields of a host; null where it could not be asked. */
export function tlsFields(
  answer: SmtpAnswer,
): Pick<MxHost, 'tlsSupported' | 'starttlsSupported' | 'certificateExpiry'> {
  if (answer.status !== 'found')
    return { tlsSupported: null, starttlsSupported: null, certificateExpiry: null };
  const { starttls } = answer;
  const established = starttls.status === 'established';
  return {
    tlsSupported: established,
    starttlsSupported: starttls.status !== 'not-offered',
    certificateExpiry: established ? isoTime(starttls.certificate.validTo) : null,
  };
}

/** Findings on whether the address takes mail; `recipient` is the mailbox that was asked for. */
export function receptionFindings(
  host: string,
  answer: SmtpAnswer,
  recipient: string | undefined,
): Finding[] {
  const ip = answer.evidence.address;
  const reply = excerpt(answer.evidence.reply ?? '', 200);
  if (refusesUs(answer)) return [raise('mx-acceptance-unknown', { host, ip, reply })];
  switch (answer.status) {
    case 'found':
      if (answer.recipient === 'deferred') return [raise('mx-deferred', { host, ip, reply })];
      if (answer.recipient !== 'rejected') return [];
      return [raise('mx-recipient-rejected', { host, ip, recipient: excerpt(recipient ?? ''), reply })];
    case 'rejected':
      if (answer.reason === 'address-not-public') return [raise('mx-address-not-public', { host, ip })];
      return [raise('mx-denied', { host, ip, reply })];
    case 'unavailable':
      if (answer.reason === 'connection-refused') return [raise('mx-refused', { host, ip })];
      if (answer.reason === 'deferred') return [raise('mx-deferred', { host, ip, reply })];
      return [raise('mx-not-asked', { host, ip, reason: answer.reason })];
  }
}

/** Findings on STARTTLS and the certificate. What DANE vouches for needs no authority (RFC 7672 section 3.1). */
export function tlsFindings(host: string, answer: SmtpAnswer, dane: DaneVerdict, now: Date): Finding[] {
  if (answer.status !== 'found') return [];
  const ip = answer.evidence.address;
  const { starttls } = answer;
  if (starttls.status === 'not-offered') return [raise('mx-no-starttls', { host, ip })];
  if (starttls.status === 'failed') {
    return [raise('mx-starttls-failed', { host, ip, detail: excerpt(starttls.detail, 200) })];
  }
  const { protocol, cipher, certificate } = starttls;
  const findings: Finding[] = [];
  if (OLD_PROTOCOLS.includes(protocol)) findings.push(raise('mx-tls-old', { host, ip, protocol }));
  else if (WEAK_CIPHER.test(cipher)) findings.push(raise('mx-tls-weak', { host, ip, cipher }));
  if (!dane.keyIsPinned) findings.push(...certificateFindings(host, ip, certificate, dane, now));
  return findings;
}

function certificateFindings(
  host: string,
  ip: string,
  certificate: CertificateFacts,
  dane: DaneVerdict,
  now: Date,
): Finding[] {
  const findings: Finding[] = [];
  const left = certificate.validTo.getTime() - now.getTime();
  const date = isoTime(certificate.validTo)?.slice(0, 10) ?? 'an unreadable date';
  if (left < 0) {
    findings.push(raise('mx-certificate-expired', { host, ip, date }));
  } else if (certificate.validFrom > now) {
    const from = isoTime(certificate.validFrom)?.slice(0, 10) ?? 'an unreadable date';
    findings.push(raise('mx-certificate-not-yet-valid', { host, ip, date: from }));
  } else {
    if (!certificate.trusted && !dane.authorityIsPinned) {
      const reason = certificate.untrustedReason ?? 'unknown';
      findings.push(raise('mx-certificate-untrusted', { host, ip, reason }));
    }
    if (left < EXPIRING_MILLISECONDS) findings.push(raise('mx-certificate-expiring', { host, ip, date }));
  }
  if (!certificate.matchesName) findings.push(raise('mx-certificate-name', { host, ip }));
  return findings;
}

function isoTime(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
