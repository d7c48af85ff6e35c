/**
 * What our own edge (Amazon SES, or the SMTP listener in its place) wrote on top of a message when it took it: who sent
 * it and from where. Only this is believed; everything further down came with the message.
 */
import { formatIp, parseIp, unmapped } from '../ip.ts';
import { type HeaderSection, valuesOf } from './header-section.ts';

export interface EdgeTrace {
  /** The reverse-path without brackets; empty for bounces. */
  readonly mailFrom: string;
  /** What the SMTP client called itself; empty where the line does not tell. */
  readonly helo: string;
  /** The address of the SMTP client. */
  readonly ip: string;
  /** Whether the session was encrypted; null where the edge does not say (Amazon SES writes `SMTP` either way). */
  readonly encrypted: boolean | null;
}

/** What the edge itself made of a message; null where it could not tell. */
export interface EdgeVerdicts {
  readonly spf: 'pass' | 'fail' | null;
  readonly dkim: 'pass' | 'fail' | null;
  readonly dmarc: 'pass' | 'fail' | null;
}

/** RFC 5321 section 4.5.3.1.3, with room for those who do not keep to it. */
const MAX_PATH = 512;
/** Longer lines are none of our edge, and not worth their search. */
const MAX_RECEIVED = 4000;
const EDGE = ' by inbound-smtp.';

/**
 * Reads the topmost `Received` field and the `Return-Path` above it; undefined where they are not those of our edge.
 * They are where they hold `edgeId`: the id that our edge gave the message when it took it, which no sender can know
 * beforehand. Of the line the sender chooses the HELO and its own reverse name, so the address is the last one in
 * brackets before the edge's own name.
 *
 * `from <HELO> (<reverse name> [<address>]) by inbound-smtp.<region>.amazonaws.com with SMTP id <edgeId> for
 * <recipient>; <date>`, also where parentheses are missing, as in Amazon's own example. The SMTP listener calls itself
 * `inbound-smtp.localhost`.
 */
export function readEdgeTrace(section: HeaderSection, edgeId: string): EdgeTrace | undefined {
  const [line = ''] = valuesOf(section, 'received');
  const mailFrom = reversePath(section);
  if (edgeId === '' || mailFrom === undefined || line.length > MAX_RECEIVED) return undefined;
  const id = line.lastIndexOf(` id ${edgeId}`);
  const by = line.lastIndexOf(' by ', id);
  if (id === -1 || by === -1 || !line.startsWith(EDGE, by) || !/^from\s/i.test(line)) return undefined;
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

/** Of the `Return-Path` that the edge put above its `Received` line; one further down came with the message. */
function reversePath({ fields }: HeaderSection): string | undefined {
  const received = fields.findIndex(({ name }) => name === 'received');
  const path = fields.slice(0, Math.max(received, 0)).find(({ name }) => name === 'return-path')?.value;
  return path?.replace(/^</, '').replace(/>$/, '').slice(0, MAX_PATH);
}
