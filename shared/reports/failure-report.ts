/**
 * Reports about a single message: the Abuse Reporting Format (RFC 5965), including its DMARC and authentication
 * variants (RFC 6591, RFC 9991), and the plain-text formats of some reporters. They are only recognized, not evaluated.
 */
import { withoutComments } from '../protocol/message/comments.ts';
import type { MessageHeaders } from './message.ts';
import type { FailureReading } from './report.ts';
import { normalizedAddress, normalizedDomain, truncated } from './values.ts';

export type FailureFacts = Omit<FailureReading, 'outcome' | 'source'>;

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

/**
 * Parses the message/feedback-report part (RFC 5965 section 3). Comments (CFWS, RFC 5965 section 3.5) are removed from
 * all values except the date.
 */
export function readFeedback(bytes: Uint8Array): FailureFacts {
  const fields = readFields(bytes);
  return {
    feedbackType: short(bare(fields.get('feedback-type'))?.toLowerCase()),
    reportedDomain: domain(fields.get('reported-domain')),
    sourceIp: address(fields.get('source-ip')),
    arrivalDate: short(fields.get('arrival-date') ?? fields.get('received-date')),
  };
}

/** The facts of a plain-text report; undefined if neither the headers nor the text identify one. */
export function readPlainFailure(headers: MessageHeaders, text: Uint8Array): FailureFacts | undefined {
  const subject = headers.get('subject') ?? '';
  const start = Buffer.from(text.subarray(0, MAX_TEXT)).toString('utf8');
  const isKnown =
    /report-type=feedback-report/i.test(headers.get('content-type') ?? '') ||
    subjects.some((form) => form.test(subject)) ||
    plainForms.some((form) => form.test(start));
  if (!isKnown) return undefined;
  const fields = readFields(text);
  return {
    feedbackType: null,
    reportedDomain: domain(fields.get('sender domain') ?? /\bfor ([\w.-]{1,253})/.exec(subject)?.[1]),
    sourceIp: address(
      fields.get('sender ip address') ?? /\b(?:from|ip)[ :=]{1,3}([\d.:a-f]{3,45})/i.exec(subject)?.[1],
    ),
    arrivalDate: short(fields.get('received date')),
  };
}

/** Parses `Name: value` lines, by lower-case name. If a name is repeated, the first line counts. */
function readFields(bytes: Uint8Array): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const text = Buffer.from(bytes.subarray(0, MAX_TEXT)).toString('utf8');
  for (const line of text.split(/\r?\n/)) {
    const field = /^\s{0,8}([A-Za-z][A-Za-z -]{0,40}):(.*)$/.exec(line);
    const name = field?.[1]?.toLowerCase();
    if (name !== undefined && !fields.has(name)) fields.set(name, (field?.[2] ?? '').trim());
  }
  return fields;
}

/** A value without comments; undefined if nothing else remains. */
const bare = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : withoutComments(text).trim() || undefined;

const short = (text: string | undefined): string | null => (text ? truncated(text) : null);

function domain(text: string | undefined): string | null {
  const name = bare(text);
  return name === undefined ? null : truncated(normalizedDomain(name));
}

const address = (text: string | undefined): string | null => normalizedAddress(bare(text) ?? '') ?? null;
