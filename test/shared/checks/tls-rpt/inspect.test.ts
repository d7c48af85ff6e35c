import { describe, expect, test } from '@jest/globals';
import { inspectTlsRpt } from '../../../../shared/checks/tls-rpt/inspect.ts';
import { withMessages } from '../../../kit/findings.ts';
import { recorded } from '../../../kit/recorded.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

const sts: ZoneLiteral = { '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] } };
const inspect = (node: ZoneNode | 'SERVFAIL' | 'TIMEOUT', more: ZoneLiteral = sts) =>
  inspectTlsRpt('example.org', { dns: zone({ '_smtp._tls.example.org': node, ...more }) })
    .then(recorded)
    .then(withMessages);
const GOOD = 'v=TLSRPTv1; rua=mailto:tls@example.org,https://r.example.org/tls';

test('a domain with a good record passes', async () => {
  expect(await inspect({ TXT: [GOOD] })).toMatchObject({ state: 'pass', findings: [] });
});

test('a domain with a name that leaves no room for the name of the record has none', async () => {
  const domain = `${`${'a'.repeat(61)}.`.repeat(4)}test`;
  const result = await inspectTlsRpt(domain, { dns: zone({ [domain]: {} }) });
  expect(result).toMatchObject({ state: 'absent', findings: [{ id: 'tls-rpt-missing' }] });
});

describe('the state', () => {
  test.each<[string, ZoneNode | 'SERVFAIL' | 'TIMEOUT', string, boolean, string | null]>([
    [
      'is pass with the record in two strings',
      { TXT: [[GOOD.slice(0, 12), GOOD.slice(12)]] },
      'pass',
      true,
      GOOD,
    ],
    ['is absent without TXT records', {}, 'absent', false, null],
    ['is absent with TXT records of other kinds', { TXT: ['v=spf1 -all'] }, 'absent', false, null],
    [
      'is warning with an address of an unsupported scheme',
      { TXT: ['v=TLSRPTv1; rua=mailto:a@b.example,ftp://c.example'] },
      'warning',
      true,
      'v=TLSRPTv1; rua=mailto:a@b.example,ftp://c.example',
    ],
    ['is fail with several records', { TXT: [GOOD, GOOD] }, 'fail', false, GOOD],
    ['is fail with a broken record', { TXT: ['v=TLSRPTv1;'] }, 'fail', false, 'v=TLSRPTv1;'],
    [
      'is fail with a record that senders ignore',
      { TXT: ['v=tlsrptv1; rua=mailto:a@b.example'] },
      'fail',
      false,
      'v=tlsrptv1; rua=mailto:a@b.example',
    ],
    ['is unknown if the lookup failed', 'SERVFAIL', 'unknown', false, null],
    ['is unknown if the query timed out', 'TIMEOUT', 'unknown', false, null],
  ])('%s', async (_, node, state, valid, record) => {
    const result = await inspect(node);
    expect(result).toMatchObject({ state, valid, record });
    expect(result.errors.length > 0).toBe(state === 'fail');
  });
});

test('shows readable fields of a record that senders ignore, and does not mention policies', async () => {
  const result = await inspect({ TXT: ['v=TLSRPTv1; rua=a@b.example'] }, {});
  expect(result).toMatchObject({ state: 'fail', valid: false, version: 'TLSRPTv1', rua: ['a@b.example'] });
  expect(result.findings.map(({ id }) => id)).toEqual(['tls-rpt-uris-malformed']);
});

describe('a record without a policy to report on', () => {
  const mx: ZoneLiteral = {
    'example.org': {
      MX: [
        [10, 'mx1.example.org'],
        [20, 'mx2.example.org'],
      ],
    },
  };
  const tlsa = { usage: 3, selector: 1, matchingType: 1, certificate: new Uint8Array(32) };

  test.each<[string, ZoneLiteral, boolean]>([
    ['is reported', mx, true],
    ['is reported for a domain that receives no mail', {}, true],
    [
      'is reported with other TXT records at the name',
      { ...mx, '_mta-sts.example.org': { TXT: ['v=spf1'] } },
      true,
    ],
    [
      'is reported with a record of another version of MTA-STS',
      { ...mx, '_mta-sts.example.org': { TXT: ['v=STSv10; id=1'] } },
      true,
    ],
    ['is not reported with MTA-STS', { ...mx, ...sts }, false],
    ['is not reported if one host has DANE', { ...mx, '_25._tcp.mx2.example.org': { TLSA: [tlsa] } }, false],
    ['is not reported if the MTA-STS lookup failed', { ...mx, '_mta-sts.example.org': 'SERVFAIL' }, false],
    ['is not reported if the DANE lookup failed', { ...mx, '_25._tcp.mx1.example.org': 'SERVFAIL' }, false],
    ['is not reported if the MX lookup failed', { 'example.org': 'SERVFAIL' }, false],
  ])('%s', async (_, literal, isReported) => {
    const { findings, state } = await inspect({ TXT: [GOOD] }, literal);
    expect(findings.map(({ id }) => id)).toEqual(isReported ? ['tls-rpt-nothing-to-report'] : []);
    expect(state).toBe('pass');
  });

  test('is not checked if there is no record', async () => {
    expect((await inspect({}, mx)).findings.map(({ id }) => id)).toEqual(['tls-rpt-missing']);
  });
});

describe('the report mailbox of the domain', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['is named', 'mailto:K3v9@reports.example,https://example.org/tls', 'pass', []],
    ['is not named', 'https://example.org/tls', 'pass', ['tls-rpt-mailbox-not-named']],
    ['is mistyped', 'mailto:k3v8@reports.example', 'warning', ['tls-rpt-wrong-mailbox']],
    [
      'lacks its scheme',
      'k3v9@reports.example',
      'fail',
      ['tls-rpt-uris-malformed', 'tls-rpt-mailbox-not-named'],
    ],
  ])('%s', async (_, rua, state, expected) => {
    const dns = zone({ '_smtp._tls.example.org': { TXT: [`v=TLSRPTv1; rua=${rua}`] }, ...sts });
    const result = await inspectTlsRpt('example.org', { dns }, { mailbox: 'k3v9@reports.example' });
    expect(result.findings.map(({ id }) => id)).toEqual(expected);
    expect(result.state).toBe(state);
  });

  test('is not checked if there is no record', async () => {
    const dns = zone(sts);
    const { findings } = await inspectTlsRpt('example.org', { dns }, { mailbox: 'k3v9@reports.example' });
    expect(findings.map(({ id }) => id)).toEqual(['tls-rpt-missing']);
  });
});
