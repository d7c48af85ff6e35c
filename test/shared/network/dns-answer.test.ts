import { expect, test } from '@jest/globals';
import { messageFailure, resolve } from '../../../shared/network/dns-answer.ts';
import type { Message, WireRecord } from '../../../shared/network/dns-wire.ts';
import { encodeName } from '../../../shared/protocol/wire-name.ts';
import { recorded } from '../../kit/recorded.ts';

const record = (name: string, type: string, rdata: Uint8Array, ttl = 60): WireRecord => ({
  ...{ name, type, ttl, rdata },
});
const nameOf = (name: string) => Buffer.from(encodeName(name) ?? []);
const address = (name: string, ttl?: number, last = 1) =>
  record(name, 'A', Uint8Array.of(192, 0, 2, last), ttl);
const alias = (name: string, target: string, ttl?: number) => record(name, 'CNAME', nameOf(target), ttl);
const soa = (ttl: number, minimum: number) =>
  record('test', 'SOA', Buffer.concat([nameOf('a'), nameOf('b'), Buffer.alloc(19), Buffer.of(minimum)]), ttl);
const ns = record('test', 'NS', nameOf('ns.test'));

const message = (
  answers: readonly WireRecord[],
  authorities: readonly WireRecord[] = [],
  more: Partial<Message> = {},
): Message => ({
  ...{ rcode: 'NOERROR', authoritative: true, recursive: true, answers, authorities, ...more },
});

/** What is found by these messages, one for each query, and the names that are queried. */
async function found(messages: readonly Message[], dnssec = false) {
  const queried: string[] = [];
  const kept = await resolve('a.test', 'A', dnssec, async (name) => {
    const next = messages[queried.push(name) - 1];
    if (next === undefined) throw new Error(`no message about ${name}`);
    return { message: next, octets: 100, evidence: { milliseconds: 5 } };
  });
  return { ...kept, queried };
}

test('the most sets that a message of 64 KB can hold are read in milliseconds', async () => {
  // A name that is compressed to two octets, ten octets of fixed fields, and no data.
  const tiny = Array.from({ length: 5_400 }, (_, at) => record(`n${at}.test`, 'NSEC', Uint8Array.of()));
  const started = process.threadCpuUsage();
  const { answer } = await found([message([address('a.test')], tiny)], true);
  const { user, system } = process.threadCpuUsage(started);
  expect(answer.status === 'found' && answer.sets.length).toBe(tiny.length + 1);
  expect((user + system) / 1000).toBeLessThan(100);
});

test.each<[what: string, sets: readonly string[], message: Message]>([
  [
    'no SOA record beside an address, though the answer begins with an alias',
    ['CNAME 60', 'A 30'],
    message([alias('a.test', 'b.test'), address('b.test'), address('b.test', 30)], [soa(60, 60)]),
  ],
  [
    'no sets that nobody asked for, wherever a server adds them',
    ['A 60'],
    message([address('a.test'), record('a.test', 'TXT', Uint8Array.of(1, 0x78))], [ns]),
  ],
  [
    'no signature that cannot be read',
    ['A 60'],
    message([address('a.test'), record('a.test', 'RRSIG', nameOf(''))]),
  ],
])('the evidence has %s', async (_, sets, given) => {
  const { answer } = await found([given], true);
  expect(answer.status === 'found' && answer.sets.map(({ type, ttl }) => `${type} ${ttl}`)).toEqual(sets);
});

const chain = (length: number) =>
  Array.from({ length }, (_, at) => alias(at === 0 ? 'a.test' : `n${at}.test`, `n${at + 1}.test`));

test.each<[what: string, ...messages: Message[]]>([
  [
    'records are sorted, and kept as long as the shortest-lived',
    message([address('a.test', 60, 2), address('a.test', 30)]),
  ],
  ['no longer than an alias', message([alias('a.test', 'b.test', 20), address('b.test', 30)])],
  ['no longer than the target of an alias', message([alias('a.test', 'b.test', 30), address('b.test', 20)])],
  ['by two queries', message([alias('a.test', 'b.test', 20)]), message([address('b.test')])],
  ['no data, for the minimum of the zone', message([], [ns, soa(60, 20)])],
  ['no data, for the TTL of the SOA record', message([], [soa(10, 20)])],
  ['no data, no longer than an alias', message([alias('a.test', 'b.test', 5)], [soa(60, 20)])],
  ['no data, with an SOA record that cannot be read', message([], [record('test', 'SOA', nameOf(''))])],
  ['no name, without an SOA record', message([alias('a.test', 'b.test')], [], { rcode: 'NXDOMAIN' })],
  ['after eleven aliases', message([...chain(11), address('n11.test')])],
  ['after twelve', message([...chain(12), address('n12.test')])],
  ['two aliases of one name', message([alias('a.test', 'b.test'), alias('a.test', 'c.test')])],
  ['an address that is cut', message([record('a.test', 'A', Uint8Array.of(1))])],
])('%s', async (_, ...messages) => {
  recorded(await found(messages));
});

test.each<[expected: string | undefined, message: Message]>([
  [undefined, message([address('a.test')])],
  [undefined, message([ns, alias('a.test', 'b.test')])],
  ['malformed', message([address('b.test')])],
  ['malformed', message([record('a.test', 'TXT', nameOf(''))])],
  ['refused', message([address('a.test')], [], { rcode: 'REFUSED' })],
  ['server-failure', message([address('a.test')], [], { rcode: 'NOTIMP' })],
  [undefined, message([], [], { rcode: 'NXDOMAIN' })],
  [undefined, message([], [], { recursive: false })],
  [undefined, message([], [], { authoritative: false })],
  ['server-failure', message([], [], { authoritative: false, recursive: false })],
  ['server-failure', message([], [ns], { authoritative: false })],
  [undefined, message([], [ns])],
  [undefined, message([], [ns, soa(60, 60)], { authoritative: false })],
  [undefined, message([], [ns], { authoritative: false, rcode: 'NXDOMAIN' })],
])('%s is what is wrong with a message, row %#', (expected, given) => {
  expect(messageFailure(given, { name: 'a.test', type: 'A' })).toBe(expected);
});
