/**
 * The trace fields that our own mail server (Amazon SES, or the local SMTP listener) added to a message on receipt: who sent
 * it and from where. Only these fields are trusted; everything further down came with the message.
 */
import { formatIp, parseIp, unmapped } from '../ip.ts';
import { type HeaderSection, valuesOf } from './header-section.ts';

export interface ReceiverTrace {
  /** The reverse-path without brackets; empty for bounces. */
  readonly mailFrom: string;
  /** The HELO name of the SMTP client; empty if the field does not contain it. */
  readonly helo: string;
  /** The address of the SMTP client. */
  readonly ip: string;
  /** Whether the session was encrypted; null if unknown (Amazon SES always writes `SMTP`). */
  readonly encrypted: boolean | null;
}

/** The verdicts of the mail server itself for a message; null if it has none. */
export interface ReceiverVerdicts {
  readonly spf: 'pass' | 'fail' | null;
  readonly dkim: 'pass' | 'fail' | null;
  readonly dmarc: 'pass' | 'fail' | null;
}

/** RFC 5321 section 4.5.3.1.3, with some tolerance. */
const MAX_PATH = 512;
/** Longer fields are not from our mail server and would take long to search. */
const MAX_RECEIVED = 4000;
const EDGE = ' by inbound-smtp.';

/**
 * Parses the topmost `Received` field and the `Return-Path` above it; undefined if they are not from our mail server. They are
 * from our mail server if they contain `edgeId`, the id that our mail server assigned to the message on receipt, which no sender can
 * know in advance. The sender controls the HELO name and its own reverse name, so the client address is the last one in
 * brackets before the name of the mail server.
 *
 * `from <HELO> (<reverse name> [<address>]) by inbound-smtp.<region>.amazonaws.com with SMTP id <edgeId> for
 * <recipient>; <date>`, also without parentheses, as in Amazon's own example. The name of the local SMTP listener is
 * `inbound-smtp.localhost`.
 */
export function readReceiverTrace(section: HeaderSection, edgeId: string): ReceiverTrace | undefined {
  const mailFrom = reversePath(section);
  const received = receivedHere(section, edgeId);
  if (mailFrom === undefined || received === undefined) return undefined;
  const { line, by, id } = received;
  const client = line.slice(0, by);
  const address = [...client.matchAll(/\[(?:IPv6:)?([0-9a-f:.]{2,45})\]/gi)].at(-1)?.[1];
  const ip = parseIp(address ?? '');
  if (ip === undefined) return undefined;
  const helo = /^from\s+(\S+)/i.exec(client)?.[1] ?? '';
  const protocol = /\swith\s+(\S+)/i.exec(line.slice(by, id))?.[1]?.toUpperCase() ?? '';
  return {
    mailFrom,
    ip: formatIp(unmapped(ip)),
    helo: helo.startsWith('(') ? '' : helo,
    encrypted: /^(UTF8)?E?SMTPSA?$/.test(protocol) ? true : protocol === 'ESMTP' ? false : null,
  };
}

/**
 * The recipient in the topmost `Received` field, if that is from our mail server, as for `readReceiverTrace`: one of those to
 * which the message was sent. Undefined if the field has none.
 */
export function readRecipient(section: HeaderSection, edgeId: string): string | undefined {
  const here = receivedHere(section, edgeId);
  return here && /\sfor\s+<?([^\s<>;]+)/i.exec(here.line.slice(here.id))?.[1];
}

/** The topmost `Received` field, and where the name of our mail server and the id begin in it. */
function receivedHere(
  section: HeaderSection,
  edgeId: string,
): { readonly line: string; readonly by: number; readonly id: number } | undefined {
  const [line = ''] = valuesOf(section, 'received');
  if (edgeId === '' || line.length > MAX_RECEIVED) return undefined;
  const id = line.lastIndexOf(` id ${edgeId}`);
  const by = line.lastIndexOf(' by ', id);
  if (id === -1 || by === -1 || !line.startsWith(EDGE, by) || !/^from\s/i.test(line)) return undefined;
  return { line, by, id };
}

/** The path in the `Return-Path` that the mail server added above its `Received` field. One further down is not trusted. */
function reversePath({ fields }: HeaderSection): string | undefined {
  const received = fields.findIndex(({ name }) => name === 'received');
  const path = fields.slice(0, Math.max(received, 0)).find(({ name }) => name === 'return-path')?.value;
  return path?.replace(/^</, '').replace(/>$/, '').slice(0, MAX_PATH);
}
