/**
 * What Gmail and Yahoo ask of those who send them much mail (their sender guidelines of 2024), as notes beside the
 * score: a single test message cannot show how much somebody sends.
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
  /** `unknown`: could not be seen. */
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
    note('spf-and-dkim', spf.result === 'pass' && dkim.valid, 'Both SPF and DKIM have to pass.'),
    note('dkim-aligned', aligned, 'A valid signature should be of the domain in From.'),
    note(
      'dmarc-record',
      dmarc.result === 'temperror' && dmarc.record === null ? null : dmarc.record !== null,
      'The domain in From has to publish a DMARC record; p=none is enough.',
    ),
    note(
      'reverse-dns',
      reverseDns.status === 'unknown' ? null : reverseDns.confirmed,
      'The sending address has to have a reverse name that leads back to it.',
    ),
    note(
      'one-click-unsubscribe',
      offersOneClick(section, dkim.signatures),
      'Newsletters have to offer one-click unsubscription: List-Unsubscribe with an https link and List-Unsubscribe-Post, both signed (RFC 8058). Mail to single people needs none.',
    ),
    note('tls', encrypted, 'The session has to be encrypted with TLS.'),
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
