/**
 * The bulk sender requirements of Gmail and Yahoo (their sender guidelines of 2024). They are notes that do not affect
 * the score, because one test message does not show how much mail a sender sends.
 */

import { type HeaderSection, valuesOf } from '../protocol/message/header-section.ts';
import type { Facts } from './facts.ts';

export interface SenderNote {
  readonly requirement:
    | 'spf-and-dkim'
    | 'dkim-aligned'
    | 'dmarc-record'
    | 'reverse-dns'
    | 'one-click-unsubscribe'
    | 'tls';
  /** `unknown`: could not be determined. */
  readonly state: 'met' | 'not-met' | 'unknown';
  readonly explanation: string;
}

export function bulkSenderNotes(
  section: HeaderSection,
  { spf, dkim, dmarc, reverseDns }: Facts,
  encrypted: boolean | null,
): readonly SenderNote[] {
  const note = (
    requirement: SenderNote['requirement'],
    met: boolean | null,
    explanation: string,
  ): SenderNote => ({
    requirement,
    state: met === null ? 'unknown' : met ? 'met' : 'not-met',
    explanation,
  });
  const aligned = dkim.signatures.some(
    (signature) => signature.verdict === 'pass' && signature.aligned === true,
  );
  return [
    note('spf-and-dkim', spf.result === 'pass' && dkim.valid, 'Both SPF and DKIM must pass.'),
    note('dkim-aligned', aligned, 'A valid DKIM signature should align with the From domain.'),
    note(
      'dmarc-record',
      dmarc.result === 'temperror' && dmarc.record === null ? null : dmarc.record !== null,
      'The From domain must have a DMARC record; p=none is enough.',
    ),
    note(
      'reverse-dns',
      reverseDns.status === 'unknown' ? null : reverseDns.confirmed,
      'The sending IP address must have a reverse DNS name that resolves back to it.',
    ),
    note(
      'one-click-unsubscribe',
      offersOneClick(section, dkim.signatures),
      'Newsletters and other bulk mail must support one-click unsubscribe: a List-Unsubscribe header field with an https link and a List-Unsubscribe-Post header field, both covered by a DKIM signature (RFC 8058). Not required for one-to-one mail.',
    ),
    note('tls', encrypted, 'The SMTP connection must use TLS.'),
  ];
}

function offersOneClick(section: HeaderSection, signatures: Facts['dkim']['signatures']): boolean {
  const link = valuesOf(section, 'list-unsubscribe').some((value) => /<https:\/\//i.test(value));
  const post = valuesOf(section, 'list-unsubscribe-post').some(
    (value) => value.toLowerCase() === 'list-unsubscribe=one-click',
  );
  const signed = signatures.some(
    ({ verdict, signedFields }) =>
      verdict === 'pass' &&
      signedFields.includes('list-unsubscribe') &&
      signedFields.includes('list-unsubscribe-post'),
  );
  return link && post && signed;
}
