/** Tests the resolver against a real name server: BIND as the authority of two zones. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../shared/network/clock.ts';
import { createResolver } from '../../../shared/network/resolver.ts';
import type { Dns, RecordType } from '../../../shared/protocol/dns.ts';
import { type Bind, hasBind, startBind } from '../../kit/bind.ts';
import { use } from '../../kit/use.ts';

const records = [
  '@ A 192.0.2.1',
  '@ AAAA 2001:db8:0:0:1:0:0:1',
  '@ MX 20 MX2',
  '@ MX 10 mx',
  '@ TXT "v=spf1 " "-all"',
  'mx A 192.0.2.25',
  '_25._tcp.mx TLSA 3 1 1 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'child NS ns.elsewhere.example.',
  'child DS 12345 13 2 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '@ CDS 0 0 0 00',
  '@ CDNSKEY 0 3 0 AA==',
  'null MX 0 .',
  'www CNAME @',
  'across CNAME target.two.test.',
  'dangling CNAME nothing',
  'outside CNAME elsewhere.example.',
  'loop CNAME loop2',
  'loop2 CNAME loop',
  'a\\.b TXT dot',
  'octets TXT "\\000\\255\\"\\\\"',
  '*.wild A 192.0.2.8',
  'a.ent A 192.0.2.9',
  ...Array.from({ length: 40 }, (_, i) => `big TXT "${String(i).padStart(200, 'x')}"`),
  ...Array.from({ length: 20 }, (_, i) => `c${i} CNAME c${i + 1}`),
];

(hasBind() ? describe : describe.skip)('with BIND as the server', () => {
  let bind: Bind;
  let dns: Dns;
  beforeAll(async () => {
    bind = await use(startBind(['one.test', 'two.test']));
    await bind.publish('one.test', records);
    await bind.publish('two.test', ['target A 192.0.2.99']);
    const [address = '', port] = bind.server.split(':');
    dns = createResolver({ servers: [{ address, port: Number(port) }], clock: systemClock });
  });

  const digest = Uint8Array.from(
    Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex'),
  );
  const cases: [string, RecordType, object][] = [
    ['one.test', 'A', { status: 'found', records: ['192.0.2.1'], ttl: 300 }],
    ['ONE.test.', 'AAAA', { records: ['2001:db8::1:0:0:1'], name: 'one.test' }],
    ['one.test', 'TXT', { records: ['v=spf1 -all'] }],
    ['one.test', 'NS', { records: ['ns.one.test'] }],
    ['one.test', 'SOA', { records: [{ mname: 'ns.one.test', rname: 'admin.one.test', minimum: 300 }] }],
    [
      '_25._tcp.mx.one.test',
      'TLSA',
      { records: [{ usage: 3, selector: 1, matchingType: 1, certificate: digest }] },
    ],
    ['child.one.test', 'DS', { records: [{ keyTag: 12345, algorithm: 13, digestType: 2, digest }] }],
    ['one.test', 'CDS', { records: [{ keyTag: 0, algorithm: 0, digestType: 0, digest: Uint8Array.of(0) }] }],
    ['one.test', 'CDNSKEY', { records: [{ flags: 0, algorithm: 0, key: Uint8Array.of(0) }] }],
    ['null.one.test', 'MX', { records: [{ preference: 0, exchange: '' }] }],
    ['www.one.test', 'A', { records: ['192.0.2.1'], name: 'one.test', aliases: ['www.one.test'] }],
    ['across.one.test', 'A', { records: ['192.0.2.99'], name: 'target.two.test' }],
    ['dangling.one.test', 'A', { status: 'absent', reason: 'no-name', aliases: ['dangling.one.test'] }],
    ['nothing.one.test', 'A', { status: 'absent', reason: 'no-name' }],
    ['mx.one.test', 'AAAA', { status: 'absent', reason: 'no-data' }],
    ['ent.one.test', 'A', { status: 'absent', reason: 'no-data' }],
    ['x.y.wild.one.test', 'A', { records: ['192.0.2.8'], name: 'x.y.wild.one.test' }],
    ['a\\.b.one.test', 'TXT', { records: ['dot'], name: 'a\\.b.one.test' }],
    ['octets.one.test', 'TXT', { records: ['\0\ufffd"\\'] }],
    ['big.one.test', 'TXT', { status: 'found', records: { length: 40 } }],
    ['c12.one.test', 'A', { status: 'absent', reason: 'no-name', aliases: { length: 8 } }],
    ['c0.one.test', 'A', { status: 'unavailable', reason: 'server-failure' }],
    ['loop.one.test', 'A', { status: 'unavailable', reason: 'server-failure' }],
    ['www.child.one.test', 'A', { status: 'unavailable', reason: 'server-failure' }],
    ['elsewhere.example', 'A', { status: 'unavailable', reason: 'refused' }],
    ['outside.one.test', 'A', { status: 'unavailable', reason: 'refused' }],
  ];
  test.each(cases)('%s %s returns the expected result', async (name, type, expected) => {
    expect(await dns.lookup(name, type)).toMatchObject(expected);
  });

  test('returns both MX records with names in lower case', async () => {
    const answer = await dns.lookup('one.test', 'MX');
    expect(
      answer.status === 'found' && answer.records.toSorted((a, b) => a.preference - b.preference),
    ).toEqual([
      { preference: 10, exchange: 'mx.one.test' },
      { preference: 20, exchange: 'mx2.one.test' },
    ]);
  });
});
