import { describe, expect, test } from '@jest/globals';
import { inspectMtaSts } from '../../../../shared/checks/mta-sts/inspect.ts';
import { fakeSmtp, type Says, withoutTls } from '../../../kit/fake-smtp.ts';
import { recorded } from '../../../kit/recorded.ts';
import { type FakePage, type Fault, fakeWeb } from '../../../kit/web.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';
import { networkOf } from '../../protocol/findings/cases/example.ts';
import { unavailable, withTls } from '../../protocol/findings/cases/mx-world.ts';

const URL_OF_POLICY = 'https://mta-sts.example.org/.well-known/mta-sts.txt';
const RECORD = 'v=STSv1; id=20260101';
const POLICY = 'version: STSv1\nmode: enforce\nmx: mx1.example.org\nmx: *.example.net\nmax_age: 1209600\n';
const page = (body = POLICY, more: FakePage = {}): FakePage => ({ body, type: 'text/plain', ...more });
const names = (more: ZoneLiteral = {}): ZoneLiteral => ({
  '_mta-sts.example.org': { TXT: [RECORD] },
  'example.org': {
    MX: [
      [10, 'mx1.example.org'],
      [20, 'mx2.example.net'],
    ],
  },
  ...more,
});

/** What most rows have in common, which recordings leave out. */
const usual = {
  dnsRecord: RECORD,
  dnsVersion: 'STSv1',
  dnsId: '20260101',
  policyFetched: true,
  policyVersion: 'STSv1',
  ...{ policyMode: 'enforce', policyMx: ['mx1.example.org', '*.example.net'], policyMaxAge: 1_209_600 },
};

function inspect(literal: ZoneLiteral, answer: FakePage | Fault = page(), delay = 0) {
  const dns = zone(literal, { delayMilliseconds: delay });
  const web = fakeWeb({ [URL_OF_POLICY]: answer }, delay);
  const result = inspectMtaSts('example.org', networkOf({ dns, web })).then((found) =>
    recorded(found, usual),
  );
  return { result, dns, web };
}

test('queries the record, the policy and the MX records concurrently', async () => {
  const { result, dns, web } = inspect(names(), page(), 20);
  const questions = ['_mta-sts.example.org TXT', 'example.org MX'];
  expect(dns.questions).toEqual(questions);
  expect(web.requests).toMatchObject([{ url: URL_OF_POLICY, maxBytes: 65_536 }]);
  expect(web.requests[0]?.redirects ?? 0).toBe(0);
  await result;
  const hosts = ['mx1.example.org', 'mx2.example.net'].flatMap((host) => [`${host} A`, `${host} AAAA`]);
  expect(dns.questions).toEqual([...questions, ...hosts]);
});

const withRecord = (TXT: ZoneNode['TXT']) => names({ '_mta-sts.example.org': { TXT } });
const withMx = (MX: ZoneNode['MX']) => names({ 'example.org': { MX } });
const without = withRecord(['v=spf1 -all']);
const uncovered = withMx([
  [10, 'mx1.example.org'],
  [20, 'a.mx.example.net'],
  [30, 'mx.example.com'],
]);
const changed = (from: string, to: string) => page(POLICY.replace(from, to));

test.each<[what: string, ZoneLiteral, (FakePage | Fault)?]>([
  ['a fully configured domain passes', names()],
  ['without a record, the state is absent and the policy has no effect', without],
  ['only the missing record is reported without a policy host', without, 'name-resolution'],
  ['only the missing record is reported with a policy host that is down', without, 'timeout'],
  [
    'only the missing record is reported with a web page in place of a policy',
    without,
    page('<html>', { type: 'text/html' }),
  ],
  ['a record with a broken id fails, and readable fields are shown', withRecord(['v=STSv1; id=a-b'])],
  ['a record with an empty id fails', withRecord(['v=STSv1; id='])],
  ['a record with another version fails', withRecord(['v=STSv2; id=a'])],
  ['a record beside another one fails', withRecord([RECORD, 'v=STSv1; id=b'])],
  ['a failed lookup of the record leaves the state unknown', withRecord('SERVFAIL')],
  ['a policy behind a bad certificate fails', names(), 'certificate'],
  ['a policy behind broken TLS fails', names(), 'tls'],
  ['a policy at a private address fails', names(), 'address-not-public'],
  ['a redirect that was refused fails', names(), 'redirect'],
  ['a redirect fails', names(), page('', { httpStatus: 300 })],
  ['status 400 fails', names(), page('', { httpStatus: 400 })],
  ['status 500 fails', names(), page('', { httpStatus: 500 })],
  ['status 204 fails', names(), page('', { httpStatus: 204 })],
  ['a large policy fails', names(), page(`${POLICY}${'x: y\n'.repeat(20_000)}`)],
  ['a policy that is none fails', names(), page('nonsense')],
  ['a host that does not respond leaves the state unknown', names(), 'timeout'],
  ['a broken connection leaves the state unknown', names(), 'connection'],
  ['a host that could not be resolved leaves the state unknown', names(), 'name-resolution'],
  ['a request that timed out leaves the state unknown', names(), 'deadline'],
  ['an overloaded host leaves the state unknown', names(), page('', { httpStatus: 503 })],
  ['a host that limits our rate leaves the state unknown', names(), page('', { httpStatus: 429 })],
  ['a broken record fails although the policy is unknown', withRecord(['v=STSv1;']), 'timeout'],
  ['mode testing is reported', names(), changed('enforce', 'testing')],
  ['mode none is a warning', names(), page('version: STSv1\nmode: none\nmax_age: 60')],
  ['another media type is a warning', names(), page(POLICY, { type: 'text/html; charset=utf-8' })],
  ['no media type is a warning', names(), { body: POLICY }],
  ['a broken policy is shown with its fields unchanged', names(), changed('enforce', 'Enforce')],
  ['an unmatched host is an error in mode enforce', uncovered],
  ['an unmatched host is a warning in mode testing', uncovered, changed('enforce', 'testing')],
  ['an unmatched host is not reported in mode none', uncovered, changed('enforce', 'none')],
  ['a domain with no MX records is reported', withMx([])],
  ['a domain with a null MX is reported', withMx([[0, '.']])],
  ['a failed MX lookup leaves the state unknown', withMx('TIMEOUT')],
])('%s', async (_, ...given) => {
  await inspect(...given).result;
});

test('a policy whose host has no address fails', async () => {
  const result = await inspectMtaSts('example.org', networkOf({ dns: zone(names()), web: fakeWeb({}) }));
  expect(result).toMatchObject({
    ...{ state: 'fail', policyFetched: false, findings: [{ id: 'mta-sts-policy-host-missing' }] },
  });
});

describe('the MX hosts', () => {
  const hosted = names({
    'mx1.example.org': { A: ['192.0.2.1'] },
    'mx2.example.net': { A: ['192.0.2.2'], AAAA: ['2001:db8::2'] },
  });
  /** Probes the listed addresses with these results; an unlisted address does not respond. */
  async function probed(says: Readonly<Record<string, Says>>, policy = POLICY) {
    const smtp = fakeSmtp(({ address }) => says[address] ?? unavailable('timeout'));
    const web = fakeWeb({ [URL_OF_POLICY]: page(policy) });
    const result = await inspectMtaSts('example.org', networkOf({ dns: zone(hosted), web, smtp }));
    return { ...result, dialled: smtp.probes.map(({ address }) => address) };
  }
  const good = { '192.0.2.1': withTls(), '192.0.2.2': withTls(), '2001:db8::2': withTls() };

  test('are probed at every address, and raise no finding if all is in order', async () => {
    const { findings, dialled } = await probed(good);
    expect([findings, dialled]).toEqual([[], Object.keys(good)]);
  });

  test.each<[string, Says, string]>([
    ['no STARTTLS', withoutTls, 'it does not offer STARTTLS'],
    [
      'broken TLS',
      { ...withoutTls, starttls: { status: 'failed', reason: 'reply', detail: '454 no' } },
      'STARTTLS fails (454 no)',
    ],
    [
      'a certificate for another name',
      withTls({}, { matchesName: false }),
      'its certificate does not match the host name',
    ],
    [
      'an expired certificate',
      withTls({}, { trusted: false, untrustedReason: 'CERT_HAS_EXPIRED' }),
      'its certificate is not trusted (CERT_HAS_EXPIRED)',
    ],
  ])('with %s are an error in mode enforce, a warning in mode testing', async (_, shown, problem) => {
    const says = { ...good, '192.0.2.2': shown, '2001:db8::2': shown };
    const subject = 'mx2.example.net';
    const found = { host: subject, ip: '192.0.2.2', problem };
    expect(await probed(says)).toMatchObject({
      ...{ state: 'fail', valid: false },
      findings: [{ id: 'mta-sts-mx-not-secure', arguments: found }],
    });
    const tested = await probed(says, POLICY.replace('enforce', 'testing'));
    expect(tested).toMatchObject({ state: 'warning', valid: true });
    expect(tested.findings).toMatchObject([{}, { id: 'mta-sts-mx-not-secure-yet', subject }]);
  });

  test('with a fault at only one address are reported too', async () => {
    const { findings } = await probed({ ...good, '2001:db8::2': withoutTls });
    expect(findings).toMatchObject([{ id: 'mta-sts-mx-not-secure', subject: 'mx2.example.net' }]);
  });

  test('that cannot be probed are reported, and do not count against the policy', async () => {
    expect(await probed({ '192.0.2.1': withTls() })).toMatchObject({
      ...{ state: 'pass', valid: true },
      findings: [
        { id: 'mta-sts-mx-not-asked', severity: 'notice', arguments: { hosts: ['mx2.example.net'] } },
      ],
    });
  });

  test('are not probed without a policy that protects and names them', async () => {
    const unprotected = await probed(good, 'version: STSv1\nmode: none\nmax_age: 60\n');
    const unnamed = await probed(good, POLICY.replace('mx: *.example.net\n', ''));
    expect([unprotected.dialled, unnamed.dialled]).toEqual([[], ['192.0.2.1']]);
  });
});
