/** Where a message came from, by the fields that our own edge put on top, and the way it took before. */
import { formatIp, parseIp, unmapped } from '../protocol/ip.ts';
import { type HeaderSection, valuesOf } from './header-section.ts';

/** What our edge saw of the host that handed the message in; null where its line does not tell. */
export interface EdgeFacts {
  /** The reverse-path without brackets; empty for bounces. */
  readonly mailFrom: string;
  /** The address of the SMTP client. */
  readonly ip: string | null;
  /** What it called itself. */
  readonly helo: string | null;
  /** Whether the session was encrypted; null where the edge does not say (Amazon SES says `SMTP` either way). */
  readonly encrypted: boolean | null;
}

/** One host on the way, as it says itself: only the topmost is ours, the others can be invented. */
export interface Hop {
  readonly from: string | null;
  readonly by: string | null;
  readonly protocol: string | null;
  readonly date: string | null;
}

/** RFC 5321 section 4.5.3.1.3, with room for those who do not keep to it. */
const MAX_PATH = 512;
const MAX_HOPS = 30;
const MAX_TEXT = 300;
/** Longer lines are no `Received` lines of a mail server, and not worth their search. */
const MAX_RECEIVED = 4000;

const NOTHING: EdgeFacts = { mailFrom: '', ip: null, helo: null, encrypted: null };

/**
 * Reads the topmost `Received` field, and only where it holds `edgeId`: the id that our edge gave the message when
 * it took it, which no sender can know beforehand. Of its parts the sender chooses the HELO and its own reverse
 * name, so the address is the last one in brackets before the edge's own name.
 *
 * `from <HELO> (<reverse name> [<address>]) by <edge> with <protocol> id <edgeId> for <recipient>; <date>`, also
 * where parentheses are missing, as in Amazon's own example.
 */
export function readEdge(section: HeaderSection, edgeId: string): EdgeFacts {
  const [line = ''] = valuesOf(section, 'received');
  if (edgeId === '' || line.length > MAX_RECEIVED) return NOTHING;
  const id = line.lastIndexOf(` id ${edgeId}`);
  const by = line.lastIndexOf(' by ', id);
  if (id === -1 || by === -1 || !/^from\s/i.test(line)) return NOTHING;
  const client = line.slice(0, by);
  const address = [...client.matchAll(/\[(?:IPv6:)?([0-9a-f:.]{2,45})\]/gi)].at(-1)?.[1];
  const ip = parseIp(address ?? '');
  if (ip === undefined) return NOTHING;
  const helo = /^from\s+(\S+)/i.exec(client)?.[1];
  const protocol = /\swith\s+(\S+)/i.exec(line.slice(by, id))?.[1]?.toUpperCase() ?? '';
  return {
    mailFrom: reversePath(section),
    ip: formatIp(unmapped(ip)),
    helo: helo === undefined || helo.startsWith('(') ? null : helo,
    encrypted: /^(UTF8)?E?SMTPSA?$/.test(protocol) ? true : protocol === 'ESMTP' ? false : null,
  };
}

/** Of the `Return-Path` that the edge put above its `Received` line; one further down came with the message. */
function reversePath({ fields }: HeaderSection): string {
  const received = fields.findIndex(({ name }) => name === 'received');
  const path = fields.slice(0, received).find(({ name }) => name === 'return-path')?.value ?? '';
  return path.replace(/^</, '').replace(/>$/, '').slice(0, MAX_PATH);
}

/** The `Received` fields from the top, as far as anybody reads. */
export function readHops(section: HeaderSection): readonly Hop[] {
  return valuesOf(section, 'received').slice(0, MAX_HOPS).map(readHop);
}

function readHop(value: string): Hop {
  const line = value.slice(0, MAX_RECEIVED).replace(/\s+/g, ' ');
  const semicolon = line.lastIndexOf(';');
  const head = semicolon === -1 ? line : line.slice(0, semicolon);
  const part = (name: string) => {
    const start = ` ${head}`.toLowerCase().indexOf(` ${name} `);
    if (start === -1) return null;
    const rest = head.slice(start + name.length + 1);
    const end = rest.search(/ (from|by|via|with|id|for) /i);
    return (end === -1 ? rest : rest.slice(0, end)).trim().slice(0, MAX_TEXT) || null;
  };
  return {
    from: part('from'),
    by: part('by'),
    protocol: part('with'),
    date:
      semicolon === -1
        ? null
        : line
            .slice(semicolon + 1)
            .trim()
            .slice(0, 100) || null,
  };
}
