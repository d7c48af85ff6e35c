/**
 * Reports about a single message: the Abuse Reporting Format (RFC 5965), including its DMARC and authentication
 * variants (RFC 6591, RFC 9991), and the plain-text formats of some reporters. They are only recognized, not evaluated.
 */
import type { MessageHeaders } from './message.ts';

/** Texts that identify a plain-text report: those of Exim and cPanel, OpenDMARC, and Microsoft's JMRP. */
const plainForms: readonly RegExp[] = [
  /^A message claiming to be from you has failed the published DMARC\s+policy/m,
  /^This is an authentication failure report for an email message received from/m,
  /^This is an email abuse report for an email message/m,
];
const subjects: readonly RegExp[] = [
  /^(?:\[[^\]]{0,40}\] ?)?DMARC (?:forensic|failure) report\b/i,
  /^complaint about message from [\d.:a-f]+\s*$/i,
];

/** The number of bytes of a text that are examined. */
const MAX_TEXT = 65_536;

/** Whether the headers or the text of a mail identify a report, if it has no part of its own (`message/feedback-report`). */
export function isPlainFailure(headers: MessageHeaders, text: Uint8Array): boolean {
  const subject = headers.get('subject') ?? '';
  const start = Buffer.from(text.subarray(0, MAX_TEXT)).toString('utf8');
  return (
    /report-type=feedback-report/i.test(headers.get('content-type') ?? '') ||
    subjects.some((form) => form.test(subject)) ||
    plainForms.some((form) => form.test(start))
  );
}
