/**
 * What our own edge (SES, or the SMTP listener in its place) wrote on top of a message when it took it: who sent it
 * and from where. Only this is believed; everything further down came with the message.
 */
import { headerSection, unfolded } from './header-section.ts';

export interface EdgeTrace {
  /** The reverse-path without brackets; empty for bounces. */
  readonly mailFrom: string;
  /** The name by which the client introduced itself. */
  readonly helo: string;
  /** Address of the SMTP client. */
  readonly ip: string;
}

/** How much of a message the lines on top take at most. */
const MAX_TRACE_BYTES = 16_384;

/** `from <HELO> (<name> [<address>]) by inbound-smtp.<region>.amazonaws.com with SMTP id <id> for <recipient>; <date>`. */
const RECEIVED =
  /^received: from (\S{1,300}) \(?[^[\]]{0,300}\[(?:ipv6:)?([0-9a-f.:]{2,45})\]\)* by inbound-smtp\.\S{1,253} with \w{4,8} id (\S{1,100}) /i;

/**
 * Reads the Return-Path and the first Received line of a message; undefined where they are not those that our edge
 * wrote when it gave the message the id `messageId`.
 */
export function readEdgeTrace(message: Uint8Array, messageId: string): EdgeTrace | undefined {
  const fields = unfolded(headerSection(message.subarray(0, MAX_TRACE_BYTES)));
  const at = fields.findIndex((field) => /^received:/i.test(field));
  const returnPath = fields
    .slice(0, Math.max(at, 0))
    .map((field) => /^return-path: *<([^<>\s]{0,320})>$/i.exec(field)?.[1])
    .find((path) => path !== undefined);
  const received = RECEIVED.exec(fields[at] ?? '');
  const [, helo, ip, id] = received ?? [];
  if (helo === undefined || ip === undefined || id !== messageId || returnPath === undefined)
    return undefined;
  return { mailFrom: returnPath, helo, ip };
}
