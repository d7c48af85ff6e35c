import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { spfPredictor } from '../../../shared/enforcement/spf-prediction.ts';
import { evaluate } from '../../../shared/protocol/spf/evaluate.ts';
import { random } from '../../kit/random.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const now = new Date('2026-11-01T00:00:00Z');
const domain = 'example.org';

const literal: ZoneLiteral = {
  'example.org': { A: ['192.0.2.10'], AAAA: ['2001:db8::10'], MX: [[10, 'mx.example.org']] },
  'mx.example.org': { A: ['192.0.2.20'] },
  'mail.example.org': { A: ['192.0.2.30', '192.0.2.31'], AAAA: ['2001:db8::30'] },
  '_spf.example.net': { TXT: ['v=spf1 ip4:198.51.100.0/25 -ip4:198.51.100.7 ip6:2001:db8:1::/48 ~all'] },
  'deep.example.net': { TXT: ['v=spf1 include:_spf.example.net ip4:203.0.113.5 ?all'] },
  'denied.example.net': { TXT: ['v=spf1 ip4:203.0.113.9 -all'] },
  'flag.example.net': { A: ['127.0.0.2'] },
  '9.2.0.192.list.example.net': { A: ['127.0.0.2'] },
  'failing.example.net': 'SERVFAIL',
};

/** Records within the limits, whose terms need only the address. */
const records = [
  'v=spf1 ip4:192.0.2.0/28 -all',
  'v=spf1 a mx -all',
  'v=spf1 a:mail.example.org/30 ~all',
  'v=spf1 include:_spf.example.net -all',
  'v=spf1 -ip4:198.51.100.3 include:deep.example.net -include:denied.example.net ~all',
  'v=spf1 ip4:192.0.2.9 redirect=_spf.example.net',
  'v=spf1 redirect=_missing.example.net',
  'v=spf1 include:_missing.example.net -all',
  'v=spf1 exists:flag.example.net -all',
  'v=spf1 exists:%{ir}.list.example.net -all',
  'v=spf1 ?ip4:192.0.2.1 +all',
  'v=spf1 ip4:192.0.2.1 a:_missing.example.net mx:mail.example.org ip6:2001:db8::/32',
  'v=spf1 ipv4:192.0.2.1 -all',
  'v=spf1',
];

const next = random(7);
const prefixes = ['192.0.2.', '198.51.100.', '203.0.113.'];
const addresses = [
  ...['192.0.2.9', '192.0.2.10', '192.0.2.20', '192.0.2.30', '198.51.100.3', '198.51.100.7', '203.0.113.5'],
  ...['203.0.113.9', '2001:db8::10', '2001:db8::30', '2001:db8:1::1', '2001:db9::1'],
  ...Array.from({ length: 40 }, () => `${prefixes[next(3)]}${next(256)}`),
];

async function predictions(record: string, isProposal = false) {
  const { predict } = await spfPredictor(domain, record, { dns: zone(literal), isProposal, now });
  return Promise.all(addresses.map(predict));
}

describe('a prediction', () => {
  test.each(records)('of %s equals an evaluation', async (record) => {
    const dns = zone({ ...literal, [domain]: { ...Object(literal[domain]), TXT: [record] } });
    const evaluated = await Promise.all(
      addresses.map((ip) => evaluate({ ip, mailFrom: `user@${domain}`, helo: domain, now }, dns)),
    );
    expect(await predictions(record)).toEqual(evaluated.map(({ result }) => ({ result })));
  });

  test('of a proposed record that exceeds a limit is a permerror for every address', async () => {
    const record = `v=spf1 ip4:192.0.2.0/24 ${'include:_spf.example.net '.repeat(11)}-all`;
    expect(new Set((await predictions(record, true)).map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"result":"permerror"}']),
    );
    // Receivers that find the record published stop at the term that matches.
    expect((await predictions(record))[0]).toEqual({ result: 'pass' });
  });

  test('is not made where macros need the message, or where a lookup failed', async () => {
    const [first] = await predictions('v=spf1 exists:%{l}._spf.example.net -all');
    expect(first).toEqual({ unpredictable: 'spf-macros' });
    const [matched, , , , , , , last] = await predictions(
      'v=spf1 ip4:192.0.2.9 include:failing.example.net -all',
    );
    expect(matched).toEqual({ result: 'pass' });
    expect(last).toEqual({ unpredictable: 'spf-lookup-failed' });
  });

  test('of addresses with lookups of their own ends at a limit', async () => {
    const dns = zone(literal);
    const record = 'v=spf1 exists:%{ir}.list.example.net -all';
    const { predict } = await spfPredictor(domain, record, { dns, isProposal: false, now });
    const results = [];
    for (let n = 0; n < 210; n += 1) results.push(await predict(`10.0.0.${n}`));
    expect(results.filter((one) => 'result' in one)).toHaveLength(200);
    expect(results.at(-1)).toEqual({ unpredictable: 'spf-too-many-addresses' });
    expect(await predict('10.0.0.1')).toEqual({ result: 'fail' });
  });
});

/** Evaluates records of a zone for addresses; DNS is a table. */
const PYSPF = `
import json, sys, spf
given = json.load(sys.stdin)
def lookup(name, qtype, strict=True, timeout=None):
    found = given['zone'].get(name.lower().rstrip('.'))
    if found == 'SERVFAIL':
        raise spf.TempError('DNS')
    for value in (found or {}).get(qtype, []):
        if qtype == 'TXT':
            value = (value.encode(),)
        if qtype == 'MX':
            value = (value[0], value[1])
        yield ((name, qtype), value)
spf.DNSLookup = lookup
results = []
for record in given['records']:
    given['zone']['example.org']['TXT'] = [record]
    results.append([spf.query(i=ip, s='user@example.org', h='example.org').check()[0] for ip in given['addresses']])
print(json.dumps(results))
`;

const hasPyspf = spawnSync('/usr/bin/python3', ['-c', 'import spf']).status === 0;

(hasPyspf ? test : test.skip)(
  `predictions equal pyspf's on the same records and addresses${hasPyspf ? '' : ' (skipped: no pyspf)'}`,
  async () => {
    const input = JSON.stringify({ zone: literal, records, addresses });
    const output = execFileSync('/usr/bin/python3', ['-c', PYSPF], { input, encoding: 'utf8' });
    const ours = await Promise.all(records.map(async (record) => predictions(record)));
    const results = ours.map((some) => some.map((one) => ('result' in one ? one.result : one.unpredictable)));
    expect(results).toEqual(JSON.parse(output));
  },
);
