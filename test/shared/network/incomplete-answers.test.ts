/**
 * "A failed lookup is not a missing record", for each way in which a message is not a complete answer: over both transports,
 * for each kind of answer and record type.
 */
import { describe, expect, test } from '@jest/globals';
import { type Answer, decode, encode, RECURSION_AVAILABLE } from 'dns-packet';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { createResolver } from '../../../shared/network/resolver.ts';
import { smtpOff } from '../../../shared/network/smtp-off.ts';
import type { RecordType } from '../../../shared/protocol/dns.ts';
import { startDnsServer } from '../../kit/dns-server.ts';
import { use } from '../../kit/use.ts';

const name = 'example.org';
const soa: Answer = {
  type: 'SOA',
  name,
  ttl: 60,
  data: { mname: `ns.${name}`, rname: `h.${name}`, serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 60 },
};

const records: Partial<Record<RecordType, Answer>> = {
  A: { type: 'A', name, ttl: 60, data: '192.0.2.1' },
  MX: { type: 'MX', name, ttl: 60, data: { preference: 10, exchange: `mx.${name}` } },
  TXT: { type: 'TXT', name, ttl: 60, data: ['v=spf1 -all'] },
  NS: { type: 'NS', name, ttl: 60, data: `ns.${name}` },
  DS: {
    type: 'DS',
    name,
    ttl: 60,
    data: { keyTag: 1, algorithm: 13, digestType: 2, digest: Buffer.alloc(32) },
  },
  TLSA: {
    type: 'TLSA',
    name,
    ttl: 60,
    data: { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32) },
  },
  CAA: { type: 'CAA', name, ttl: 60, data: { flags: 0, tag: 'issue', value: 'ca.example.net' } },
};

const kinds = {
  'the records': { rcode: 0, holds: true },
  'that there are none': { rcode: 0, holds: false },
  'that the name does not exist': { rcode: 3, holds: false },
};

function complete(query: Buffer, type: RecordType, kind: keyof typeof kinds): Buffer {
  const { rcode, holds } = kinds[kind];
  const { id, questions = [] } = decode(query);
  const record = records[type];
  const bytes = encode({
    type: 'response',
    id: id ?? 0,
    flags: RECURSION_AVAILABLE,
    questions,
    answers: holds && record !== undefined ? [record] : [],
    authorities: holds ? [] : [soa],
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0 } as Answer],
  });
  bytes.writeUInt8((bytes.readUInt8(3) & 0xf0) | rcode, 3);
  return bytes;
}

const RA = 0x80;
const answersAt = 12 + name.length + 2 + 4;
/** Of the extended response code: the TTL of the OPT record that is last, with an empty RDATA. */
const extendedRcodeAt = (bytes: Buffer) => bytes.length - 6;
const count = (bytes: Buffer, at: number, more: number) =>
  bytes.writeUInt16BE(bytes.readUInt16BE(at) + more, at);

type Fault = (bytes: Buffer, holds: boolean) => Buffer | undefined;
const change =
  (edit: (bytes: Buffer, holds: boolean) => void): Fault =>
  (bytes, holds) => {
    edit(bytes, holds);
    return bytes;
  };

/** `undefined`: this kind of answer cannot have the fault. */
const faults: Readonly<Record<string, Fault>> = {
  'is truncated': change((bytes) => bytes.writeUInt8(bytes.readUInt8(2) | 0x02, 2)),
  'is truncated and empty': (bytes) => {
    const question = bytes.subarray(0, answersAt);
    question.writeUInt8(question.readUInt8(2) | 0x02, 2);
    question.fill(0, 6, 12);
    return question;
  },
  'announces a record more': change((bytes) => count(bytes, 6, 1)),
  'announces an authority more': change((bytes) => count(bytes, 8, 1)),
  'announces a record less': change((bytes, holds) => count(bytes, holds ? 6 : 8, -1)),
  'announces no records at all': change((bytes) => bytes.fill(0, 6, 12)),
  'ends in the middle of a record': (bytes) => bytes.subarray(0, bytes.length - 14),
  'has octets after its end': (bytes) => Buffer.concat([bytes, Buffer.from([0])]),
  'has two OPT records': (bytes) => {
    count(bytes, 10, 1);
    return Buffer.concat([bytes, bytes.subarray(bytes.length - 11)]);
  },
  'has a response code beyond 15': change((bytes) => bytes.writeUInt8(1, extendedRcodeAt(bytes))),
  'says SERVFAIL': change((bytes) => bytes.writeUInt8((bytes.readUInt8(3) & 0xf0) | 2, 3)),
  'says REFUSED': change((bytes) => bytes.writeUInt8((bytes.readUInt8(3) & 0xf0) | 5, 3)),
  'says NOTIMP': change((bytes) => bytes.writeUInt8((bytes.readUInt8(3) & 0xf0) | 4, 3)),
  'is from a server that neither has the zone nor recurses': (bytes, holds) => {
    if (holds) return undefined;
    bytes.writeUInt8(bytes.readUInt8(3) & ~RA, 3);
    return bytes;
  },
  'has the records of another name': (bytes, holds) => {
    if (!holds) return undefined;
    // The owner of the first record: a name of its own instead of a pointer to the question.
    const ownerEnd = bytes.indexOf(0, answersAt) + 1;
    return Buffer.concat([
      bytes.subarray(0, answersAt),
      Buffer.from('\u0001x\0', 'latin1'),
      bytes.subarray(ownerEnd),
    ]);
  },
  'has records of another type': (bytes, holds) => {
    if (!holds) return undefined;
    bytes.writeUInt16BE(99, bytes.indexOf(0, answersAt) + 1);
    return bytes;
  },
};

let respond: (query: Buffer, transport: 'udp' | 'tcp') => readonly Uint8Array[] = () => [];
const forge = (query: Buffer, transport: 'udp' | 'tcp') => respond(query, transport);
const names = [name, `_dmarc.${name}`];
const server = await use(
  startDnsServer({}, { behaviours: Object.fromEntries(names.map((one) => [one, { forge }])) }),
);

const newResolver = () =>
  createResolver({ servers: [server], clock: systemClock, retryMilliseconds: 200, lookupMilliseconds: 5000 });

const truncated = (query: Buffer): Buffer => {
  const bytes = complete(query, 'A', 'that there are none');
  bytes.writeUInt8(bytes.readUInt8(2) | 0x02, 2);
  return bytes;
};

const types = Object.keys(records) as RecordType[];
const rows = types.flatMap((type) =>
  (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) =>
    (['udp', 'tcp'] as const).map((transport) => ({ type, kind, transport })),
  ),
);

/** Answers over TCP only after a truncated answer over UDP. */
const over =
  (wanted: 'udp' | 'tcp', answer: (query: Buffer) => Buffer): typeof respond =>
  (query, transport) => [transport === wanted ? answer(query) : truncated(query)];

describe.each(rows)(
  'a message of type $type over $transport that says $kind',
  ({ type, kind, transport }) => {
    test('is an answer if it is complete', async () => {
      respond = over(transport, (query) => complete(query, type, kind));
      const answer = await newResolver().lookup(name, type);
      expect(answer.status).toBe(kinds[kind].holds ? 'found' : 'absent');
    });

    const possible = Object.entries(faults).filter(
      ([, fault]) =>
        fault(
          complete(encode({ type: 'query', id: 1, questions: [{ type: 'A', name }] }), type, kind),
          kinds[kind].holds,
        ) !== undefined,
    );
    test.each(possible)('is no answer if it %s', async (title, fault) => {
      respond = over(
        transport,
        (query) => fault(complete(query, type, kind), kinds[kind].holds) ?? Buffer.alloc(0),
      );
      // A truncated message over UDP causes a query over TCP, which here is truncated, too.
      const answer = await newResolver().lookup(name, type);
      expect([title, answer.status]).toEqual([title, 'unavailable']);
    });
  },
);

describe('a domain whose resolver answers truncated messages over both transports', () => {
  test('has unknown checks, no score and no missing records', async () => {
    respond = (query) => [truncated(query)];
    const network = {
      dns: newResolver(),
      clock: systemClock,
      smtp: smtpOff,
      web: {
        get: async ({ url }: { url: string }) =>
          ({
            status: 'unavailable',
            reason: 'connection',
            detail: '',
            evidence: { url, milliseconds: 0 },
          }) as const,
      },
    };
    const results = await inspectDomain(
      { domain: name, testEmailLocalPart: null, knownSelectors: [] },
      { network, trustAnchors: [] },
    );
    expect([results.mx.state, results.spf.state, results.dmarc.state]).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
  });
});
