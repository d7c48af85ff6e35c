/** What is read in DNS messages and written into queries, octet by octet. */
import { describe, expect, test } from '@jest/globals';
import { readRecord, readRrsig } from '../../../shared/network/dns-rdata.ts';
import { answersQuery, decodeMessage, encodeQuery, isTruncated } from '../../../shared/network/dns-wire.ts';
import { type RecordType, recordTypeNumbers } from '../../../shared/protocol/dns.ts';
import { encodeName } from '../../../shared/protocol/wire-name.ts';
import { listed, ranges } from '../../kit/recorded-lines.ts';

const nameOf = (name: string): Buffer => Buffer.from(encodeName(name) ?? []);
const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const uint32 = (value: number): Buffer => Buffer.concat([uint16(value >>> 16), uint16(value & 0xffff)]);
const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex');

const question = {
  ...{ wireName: nameOf('A.b'), type: 'MX', dnssec: false, checkingDisabled: false },
};

interface Written {
  readonly type: string | number;
  readonly rdata: Buffer;
  readonly owner?: Buffer;
  readonly ttl?: number;
  readonly ofClass?: number;
}

/** The name of the question, which is at offset 12. */
const ASKED = Buffer.from([0xc0, 12]);

const recordOf = ({ type, rdata, owner = ASKED, ttl = 60, ofClass = 1 }: Written): Buffer =>
  Buffer.concat([
    ...[owner, uint16(typeof type === 'number' ? type : (recordTypeNumbers[type] ?? 0)), uint16(ofClass)],
    ...[uint32(ttl), uint16(rdata.length), rdata],
  ]);

/** A message with the question `A.b MX`. */
function messageOf(
  sections: readonly [answers?: Written[], authorities?: Written[], additionals?: Written[]],
  flags = 0x8180,
): Buffer {
  const counts = [1, ...[0, 1, 2].map((at) => sections[at]?.length ?? 0)];
  return Buffer.concat([
    ...[uint16(0x1234), uint16(flags), ...counts.map(uint16)],
    ...[question.wireName, uint16(15), uint16(1)],
    ...sections.flatMap((records = []) => records.map(recordOf)),
  ]);
}

const opt = (options: Buffer, ttl = 0): Written => ({
  ...{ type: 'OPT', owner: Buffer.from([0]), ofClass: 1232, ttl, rdata: options },
});
const option = (code: number, data: Buffer, length = data.length): Buffer =>
  Buffer.concat([uint16(code), uint16(length), data]);
const explained = (code: number, text: string | Buffer = ''): Buffer =>
  option(15, Buffer.concat([uint16(code), Buffer.from(text)]));

function outcome(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return `${(error as Error).constructor.name}: ${(error as Error).message}`;
  }
}

const shown = (bytes: Uint8Array): string =>
  outcome(() => {
    const { rcode, authoritative, recursive, extendedError, ...sections } = decodeMessage(bytes);
    const flags = `${authoritative ? ' AA' : ''}${recursive ? ' RA' : ''}`;
    const records = [...sections.answers, ...sections.authorities.map((one) => ({ ...one, isBelow: true }))];
    return [
      `${rcode}${flags}${extendedError === undefined ? '' : ` (${extendedError})`}`,
      ...records.map(
        (one) =>
          `${'isBelow' in one ? 'authority ' : ''}${one.name} ${one.type} ${one.ttl} ${hex(one.rdata)}`,
      ),
    ].join(', ');
  });

test('a query has its flags, its question and an OPT record', () => {
  const queries = [
    question,
    { ...question, dnssec: true },
    { ...question, checkingDisabled: true },
    { ...question, recursion: false },
    { ...question, dnssec: true, checkingDisabled: true, recursion: false, type: 'CAA' },
    { ...question, wireName: nameOf('.'), type: 'unknown' },
  ];
  expect(listed(queries.map((one) => hex(encodeQuery(0x1234, one))))).toMatchSnapshot();
});

test('a message answers a query if its id, its kind and its question are the same', () => {
  const query = encodeQuery(0x1234, { ...question, wireName: nameOf('[Zz@A{') });
  const reply = Buffer.from(query);
  reply[2] = 0x81;
  const ignored = ranges([...reply.keys()], (at) => {
    const bits = Array.from({ length: 8 }, (_, bit) => {
      const changed = Buffer.from(reply);
      changed.writeUInt8(changed.readUInt8(at) ^ (0x80 >> bit), at);
      return Number(answersQuery(changed, query));
    });
    return bits.join('');
  });
  const cuts = ranges([...reply.keys(), reply.length], (length) =>
    String(answersQuery(reply.subarray(0, length), query)),
  );
  expect(listed(['cut to', ...cuts, 'bits of each octet that may differ', ...ignored])).toMatchSnapshot();
});

const address: Written = { type: 'A', rdata: Buffer.from([192, 0, 2, 1]) };
const host = nameOf('ns.C');
const inner = Buffer.concat([Buffer.from([2, 0x6e, 0x73]), ASKED]);
const longText = 'x'.repeat(119);

const messages: Readonly<Record<string, Buffer>> = {
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, rcode) => [`rcode ${rcode}`, messageOf([], 0x8180 | rcode)]),
  ),
  ...Object.fromEntries(
    [0x01, 0x02, 0xff].map((bits) => [
      `extended rcode ${bits}`,
      messageOf([[], [], [opt(Buffer.alloc(0), bits * 0x0100_0000 + 0x8000)]]),
    ]),
  ),
  'extended rcode 1, rcode 1': messageOf([[], [], [opt(Buffer.alloc(0), 0x0100_0000)]], 0x8181),
  ...Object.fromEntries(
    Array.from({ length: 16 }, (_, bit) => [`flag ${bit}`, messageOf([[address]], 1 << bit)]),
  ),
  ...Object.fromEntries(
    [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff].map((ttl) => [
      `TTL ${ttl}`,
      messageOf([[{ ...address, ttl }]]),
    ]),
  ),
  'another class': messageOf([[{ ...address, ofClass: 3 }, address]]),
  'an unknown type': messageOf([[{ ...address, type: 65_280 }]]),
  'three sections': messageOf([
    [address, { ...address, ttl: 61 }],
    [{ type: 'NS', rdata: host }],
    [address, opt(Buffer.alloc(0))],
  ]),
  ...Object.fromEntries(
    ['NS', 'CNAME', 'SOA', 'PTR', 'MX', 'SRV', 'DNAME', 'TXT'].flatMap((type) => {
      const before = Buffer.alloc({ MX: 2, SRV: 6 }[type] ?? 0, 7);
      const after = type === 'SOA' ? Buffer.concat([inner, Buffer.alloc(20, 9)]) : Buffer.alloc(0);
      const rdata = Buffer.concat([before, inner, after]);
      const short = recordOf({ type, rdata });
      // Its length ends in the middle of its last name.
      short.writeUInt16BE(rdata.length - (type === 'SOA' ? 21 : 1), ASKED.length + 8);
      const cut = Buffer.concat([messageOf([]), short]);
      cut.writeUInt16BE(1, 6);
      return [
        [type, messageOf([[{ type, rdata }]])],
        [`${type} that is longer than it says`, cut],
        [`${type} with a further octet`, messageOf([[{ type, rdata: Buffer.concat([rdata, uint16(5)]) }]])],
      ];
    }),
  ),
  'two OPT records': messageOf([[], [], [opt(Buffer.alloc(0)), opt(Buffer.alloc(0))]]),
  'an octet after the end': Buffer.concat([messageOf([[address]]), Buffer.from([0])]),
  'two questions': (() => {
    const bytes = messageOf([[address]]);
    bytes.writeUInt16BE(2, 4);
    const again = Buffer.concat([question.wireName, uint16(1), uint16(1)]);
    return Buffer.concat([bytes.subarray(0, 21), again, bytes.subarray(21)]);
  })(),
  'no question': Buffer.from('123481800000000000000000', 'hex'),
  truncated: messageOf([[address]], 0x8380),
};

const errors: Readonly<Record<string, Buffer>> = {
  ...Object.fromEntries([0, 1, 24, 25].map((code) => [`code ${code}`, explained(code)])),
  ...Object.fromEntries([0, 1, 2].map((length) => [`${length} octets`, option(15, Buffer.alloc(length))])),
  'another option': option(10, Buffer.alloc(8)),
  'after another option': Buffer.concat([option(10, Buffer.alloc(8)), explained(6, 'text')]),
  two: Buffer.concat([explained(6), explained(7)]),
  three: Buffer.concat([explained(6), explained(7), explained(8)]),
  'quotes, and an octet 0 at the end': explained(6, 'a "b" \\ c\0'),
  'two octets 0': explained(6, 'a\0\0'),
  'line and colour': explained(6, 'a\nb\u001b[31m\u202e'),
  '119 characters': explained(6, longText),
  '120 characters': explained(6, `${longText}y`),
  '121 characters': explained(6, `${longText}yz`),
  'characters of four octets': explained(6, '😀'.repeat(3)),
  'octets that are not UTF-8': explained(6, Buffer.from([0x61, 0xff, 0xfe])),
  'longer than the record': option(15, uint16(6), 3),
  'as long as the record': option(15, uint16(6), 2),
  'three octets of an option': Buffer.from([0, 15, 0]),
  'four octets of an option': Buffer.from([0, 15, 0, 0]),
};

test('messages are read as their flags, records and options say', () => {
  const all = {
    ...messages,
    ...Object.fromEntries(
      Object.entries(errors).map(([title, octets]) => [
        `extended error: ${title}`,
        messageOf([[], [], [opt(octets)]], 0x8182),
      ]),
    ),
  };
  const lines = Object.entries(all).map(
    ([title, bytes]) => `${title}: ${isTruncated(bytes) ? 'truncated, ' : ''}${shown(bytes)}`,
  );
  expect(listed(lines)).toMatchSnapshot();
});

test('a message that is cut, or has another octet anywhere, is another message or none', () => {
  const whole = messageOf([
    [{ type: 'MX', rdata: Buffer.concat([uint16(10), inner]) }],
    [{ type: 'NS', rdata: inner }],
    [opt(explained(6, 'x'))],
  ]);
  const at = [...whole.keys()];
  const changed = (bit: number) =>
    ranges(at, (n) => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(n) ^ bit, n);
      return shown(bytes) === shown(whole) ? 'the same' : shown(bytes);
    });
  expect(
    listed([
      ...['whole', shown(whole)],
      ...['cut to', ...ranges(at, (length) => shown(whole.subarray(0, length)))],
      ...['bit 1', ...changed(1)],
      ...['bit 128', ...changed(128)],
    ]),
  ).toMatchSnapshot();
});

/** Valid data of each type. */
const data: Readonly<Record<RecordType, Buffer>> = {
  A: Buffer.from([192, 0, 2, 255]),
  AAAA: Buffer.from('20010db8000000000000000000000102', 'hex'),
  CNAME: host,
  NS: host,
  PTR: host,
  MX: Buffer.concat([uint16(258), nameOf('mx')]),
  TXT: Buffer.from('\x02ab\x00\x03c\xc3\xa4', 'latin1'),
  SOA: Buffer.concat([nameOf('a'), nameOf('b'), ...[0x0102_0304, 2, 3, 4, 0xfffe_fdfc].map(uint32)]),
  TLSA: Buffer.from('0301020a0b', 'hex'),
  DS: Buffer.from('01020d03aabb', 'hex'),
  DNSKEY: Buffer.from('0101030daabb', 'hex'),
  CDS: Buffer.from('01020d03aabb', 'hex'),
  CDNSKEY: Buffer.from('0101030daabb', 'hex'),
  CAA: Buffer.from('\x80\x05Issueca.test', 'latin1'),
};

const plain = (_key: string, value: unknown): unknown => (value instanceof Uint8Array ? hex(value) : value);
const readAs = (type: RecordType, rdata: Buffer): string =>
  outcome(() => JSON.stringify(readRecord(type, rdata), plain));
const numbered = (longest: number): number[] => Array.from({ length: longest + 1 }, (_, n) => n);

describe('the data of records', () => {
  test.each(Object.keys(data) as RecordType[])('%s: whole, cut, and with a further octet', (type) => {
    const more = Buffer.concat([data[type], Buffer.from([0])]);
    const lines = ranges(numbered(more.length), (length) => readAs(type, more.subarray(0, length)));
    expect(listed(lines)).toMatchSnapshot();
  });

  test('a signature, whole and cut', () => {
    const rrsig = Buffer.concat([
      ...[uint16(15), Buffer.from([13, 2]), ...[3600, 0x6000_0002, 0x6000_0001].map(uint32)],
      ...[uint16(0xfedc), nameOf('Ab'), Buffer.from([0xaa, 0xbb])],
    ]);
    const lines = ranges(numbered(rrsig.length), (length) =>
      outcome(() => JSON.stringify(readRrsig(rrsig.subarray(0, length)), plain)),
    );
    expect(listed(lines)).toMatchSnapshot();
  });

  test('a part of a larger buffer is read as if it was alone', () => {
    const larger = new Uint8Array([9, 9, ...data.A, 9]);
    expect(readRecord('A', larger.subarray(2, 6))).toBe('192.0.2.255');
  });

  test.each([
    [8192, 'found'],
    [8193, 'MalformedMessage: TXT record that is too long'],
  ])('a text of %d octets', (octets, expected) => {
    const whole = Buffer.alloc(256, 'x').fill(255, 0, 1);
    const strings = [...Array.from({ length: 32 }, () => whole), Buffer.alloc(octets - 32 * 255 + 1, 'y')];
    strings[32]?.writeUInt8(octets - 32 * 255);
    expect(outcome(() => (readRecord('TXT', Buffer.concat(strings)).length === octets ? 'found' : ''))).toBe(
      expected,
    );
  });

  test.each([
    ['no tag', '\x00\x00value'],
    ['a tag and no value', '\x00\x05issue'],
    ['a tag beyond the end', '\x00\x06issue'],
    ['three octets', '\x00\x01a'],
  ])('CAA with %s', (_title, rdata) => {
    expect(readAs('CAA', Buffer.from(rdata, 'latin1'))).toMatchSnapshot();
  });
});
