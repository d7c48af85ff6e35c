/** Turns the SMTP answer of one address of an MX host into facts and findings. No network access here. */
import type { CertificateFacts, SmtpAnswer } from '../../network/ports.ts';
import { overdue } from '../../protocol/certificate-lifetime.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { mxRules } from '../../protocol/findings/mx.ts';
import { mxTlsRules } from '../../protocol/findings/mx-tls.ts';
import { issuerOf } from '../certificate.ts';
import type { DaneVerdict } from './dane.ts';
import type { MxHost } from './result.ts';

const raise = raiser({ ...mxRules, ...mxTlsRules });

const OLD_PROTOCOLS: readonly string[] = ['SSLv3', 'TLSv1', 'TLSv1.1'];
const WEAK_CIPHER = /NULL|EXP|RC4|DES|MD5|ADH|AECDH/;

/**
 * Whether a host accepts mail. `denies`: permanently rejected (5xx). `unreachable`: connection refused, address not
 * public, or no address. `unknown`: it could not be checked, or it deferred our request.
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

/** Words in rejections that are about the address of the client, which says nothing about the domain. */
const ABOUT_CLIENT =
  /\b(spamhaus|spamcop|barracuda|sorbs|dnsbl|rbl|(?:black|block|deny) ?list(?:ed)?|blocked using|banned|reputation|reverse dns|rdns|ptr record|dynamic ip|residential)\b/i;

/**
 * Whether a host rejected us because of our address: a permanent policy rejection (RFC 3463 section 3.8, or without an
 * enhanced status code) that mentions blocklists or the address of the client.
 */
function refusesUs(answer: SmtpAnswer): boolean {
  const { status, evidence } = answer;
  const refused = status === 'rejected' || (status === 'found' && answer.recipient === 'rejected');
  const { reply = '' } = evidence;
  const isOfMailbox = /^\d{3} 5\.[^7]\./.test(reply);
  return refused && !isOfMailbox && ABOUT_CLIENT.test(reply);
}

/** How mail to a host is protected: 0 not at all, 1 by TLS with problems, 2 by TLS without problems. */
export type Protection = 0 | 1 | 2;

/** Null if the host could not be checked. `findings` are those of `tlsFindings`. */
export function protectionOf(answer: SmtpAnswer, findings: readonly Finding[]): Protection | null {
  if (answer.status !== 'found') return null;
  if (answer.starttls.status !== 'established') return 0;
  return findings.some(({ severity }) => severity === 'warning') ? 1 : 2;
}

/** The TLS fields of a host that could not be checked. */
export const unknownTls = {
  tlsSupported: null,
  starttlsSupported: null,
  tlsVersion: null,
  certificateExpiry: null,
} as const;

/** The TLS fields of a host; null if it could not be checked. */
export function tlsFields(answer: SmtpAnswer): Omit<MxHost, 'hostname' | 'priority' | 'ip' | 'state'> {
  if (answer.status !== 'found') return unknownTls;
  const { starttls } = answer;
  const established = starttls.status === 'established';
  return {
    tlsSupported: established,
    starttlsSupported: starttls.status !== 'not-offered',
    tlsVersion: established ? starttls.protocol : null,
    certificateExpiry: established ? isoTime(starttls.certificate.validTo) : null,
    certificateIssuer: established ? issuerOf(starttls.certificate) : null,
  };
}

/** Findings about whether the address accepts mail; `recipient` is the mailbox that was tested. */
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

/** Findings about STARTTLS and the certificate. With DANE, the certificate needs no CA (RFC 7672 section 3.1). */
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
  const date = isoTime(certificate.validTo)?.slice(0, 10) ?? 'an invalid date';
  if (left < 0) {
    findings.push(raise('mx-certificate-expired', { host, ip, date }));
  } else if (certificate.validFrom > now) {
    const from = isoTime(certificate.validFrom)?.slice(0, 10) ?? 'an invalid date';
    findings.push(raise('mx-certificate-not-yet-valid', { host, ip, date: from }));
  } else {
    if (!certificate.trusted && !dane.authorityIsPinned) {
      const reason = certificate.untrustedReason ?? 'unknown';
      findings.push(raise('mx-certificate-untrusted', { host, ip, reason }));
    }
    const late = overdue(certificate, now);
    if (late !== undefined) findings.push(raise('mx-certificate-expiring', { host, ip, date, ...late }));
  }
  if (!certificate.matchesName) findings.push(raise('mx-certificate-name', { host, ip }));
  return findings;
}

function isoTime(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
