import { describe, expect, test } from '@jest/globals';
import { inspectMtaSts } from '../../../../shared/checks/mta-sts/inspect.ts';
import type { Smtp, SmtpAnswer } from '../../../../shared/network/ports.ts';
import { withMessages } from '../../../kit/findings.ts';
import { recorded } from '../../../kit/recorded.ts';
import { type FakePage, type Fault, fakeWeb } from '../../../kit/web.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

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
  ...{
    dnsRecord: RECORD,
    dnsVersion: 'STSv1',
    dnsId: '20260101',
    policyFetched: true,
    policyVersion: 'STSv1',
  },
  ...{ policyMode: 'enforce', policyMx: ['mx1.example.org', '*.example.net'], policyMaxAge: 1_209_600 },
};

function inspect(literal: ZoneLiteral, answer: FakePage | Fault | undefined = page(), delay = 0) {
  const dns = zone(literal, { delayMilliseconds: delay });
  const web = fakeWeb(answer === undefined ? {} : { [URL_OF_POLICY]: answer }, delay);
  const clock = { now: () => new Date('2026-06-01') };
  const smtp = { probe: () => Promise.reject(new Error('no SMTP in this check')) };
  const result = inspectMtaSts('example.org', { dns, web, smtp, clock })
    .then((found) => recorded(found, usual))
    .then(withMessages);
  return { result, dns, web };
}

async function findingsOf(literal: ZoneLiteral, answer?: FakePage | Fault): Promise<string[]> {
  const { findings } = await inspect(literal, answer).result;
  return findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));
}

test('a fully configured domain passes', async () => {
  expect(await inspect(names()).result).toMatchObject({ ...usual, state: 'pass', findings: [], valid: true });
});

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

describe('without a record', () => {
  const without = names({ '_mta-sts.example.org': { TXT: ['v=spf1 -all'] } });

  test('the state is absent and the policy has no effect', async () => {
    const { state, findings } = await inspect(without).result;
    expect([state, findings.map(({ id }) => id)]).toEqual(['absent', ['mta-sts-policy-without-record']]);
  });

  test.each<[string, FakePage | Fault | undefined]>([
    ['no policy host', undefined],
    ['a policy host that is down', 'timeout'],
    ['a web page in place of a policy', page('<html>', { type: 'text/html' })],
  ])('only that is reported, with %s', async (_, answer) => {
    expect(await findingsOf(without, answer ?? 'name-resolution')).toEqual(['mta-sts-missing']);
  });
});

describe('a broken record', () => {
  test.each<[string, readonly string[], string, string | null, string | null]>([
    ['its id', ['v=STSv1; id=a-b'], 'mta-sts-id-invalid', 'STSv1', 'a-b'],
    ['an empty id', ['v=STSv1; id='], 'mta-sts-id-invalid', 'STSv1', null],
    ['its version', ['v=STSv2; id=a'], 'mta-sts-record-ignored', null, null],
    ['another record beside it', [RECORD, 'v=STSv1; id=b'], 'mta-sts-multiple-records', null, null],
  ])('fails because of %s, and readable fields are shown', async (_, TXT, id, dnsVersion, dnsId) => {
    const result = await inspect(names({ '_mta-sts.example.org': { TXT } })).result;
    expect(result).toMatchObject({ state: 'fail', valid: false, dnsRecord: TXT[0], dnsVersion, dnsId });
    expect(result.findings.map((finding) => finding.id)).toEqual([id]);
  });
});

describe('a policy that cannot be fetched', () => {
  test.each<[string, FakePage | Fault, string]>([
    ['certificate', 'certificate', 'mta-sts-policy-certificate'],
    ['broken TLS', 'tls', 'mta-sts-policy-not-served'],
    ['private address', 'address-not-public', 'mta-sts-policy-not-served'],
    ['redirect that was refused', 'redirect', 'mta-sts-policy-redirected'],
    ['redirect', page('', { httpStatus: 301 }), 'mta-sts-policy-redirected'],
    ['status 404', page('', { httpStatus: 404 }), 'mta-sts-policy-not-served'],
    ['status 500', page('', { httpStatus: 500 }), 'mta-sts-policy-not-served'],
    ['status 204', page('', { httpStatus: 204 }), 'mta-sts-policy-not-served'],
    ['size', page(`${POLICY}${'x: y\n'.repeat(20_000)}`), 'mta-sts-policy-too-large'],
    ['content', page('nonsense'), 'mta-sts-policy-malformed'],
  ])('because of its %s fails', async (_, answer, id) => {
    const result = await inspect(names(), answer).result;
    expect(result).toMatchObject({ state: 'fail', valid: false, dnsId: '20260101' });
    expect(result.findings.map((finding) => finding.id)).toContain(id);
    expect(result.errors).not.toEqual([]);
  });

  test('fails if its host has no address', async () => {
    const dns = zone(names());
    const network = {
      dns,
      web: fakeWeb({}),
      clock: { now: () => new Date() },
      smtp: { probe: () => Promise.reject() },
    };
    const result = await inspectMtaSts('example.org', network);
    expect(result).toMatchObject({ state: 'fail', policyFetched: false });
    expect(result.findings.map(({ id }) => id)).toEqual(['mta-sts-policy-host-missing']);
  });

  test.each<[string, FakePage | Fault]>([
    ['no server responded', 'timeout'],
    ['the connection broke', 'connection'],
    ['the name could not be resolved', 'name-resolution'],
    ['the request timed out', 'deadline'],
    ['the host is overloaded', page('', { httpStatus: 503 })],
    ['the host limits our rate', page('', { httpStatus: 429 })],
  ])('leaves the state unknown: %s', async (_, answer) => {
    expect((await inspect(names(), answer).result).state).toBe('unknown');
  });

  test('still fails if the record is broken', async () => {
    const literal = names({ '_mta-sts.example.org': { TXT: ['v=STSv1;'] } });
    expect(await inspect(literal, 'timeout').result).toMatchObject({ state: 'fail' });
  });
});

describe('a policy', () => {
  test.each<[string, FakePage, readonly string[], string]>([
    ['mode testing', page(POLICY.replace('enforce', 'testing')), ['mta-sts-mode-testing'], 'pass'],
    ['mode none', page('version: STSv1\nmode: none\nmax_age: 60'), ['mta-sts-mode-none'], 'warning'],
    ['max_age below a day', page(POLICY.replace('1209600', '86399')), ['mta-sts-max-age-low'], 'warning'],
    [
      'another media type',
      page(POLICY, { type: 'text/html; charset=utf-8' }),
      ['mta-sts-policy-media-type'],
      'warning',
    ],
    ['no media type', { body: POLICY }, ['mta-sts-policy-media-type'], 'warning'],
    [
      'a certificate that expires soon',
      page(POLICY, { validTo: new Date('2026-06-10') }),
      ['mta-sts-policy-certificate-expiring'],
      'pass',
    ],
    [
      'nothing if the media type has parameters',
      page(POLICY, { type: 'Text/Plain; charset=utf-8' }),
      [],
      'pass',
    ],
    ['nothing if max_age is a day', page(POLICY.replace('1209600', '86400')), [], 'pass'],
  ])('is reported for %s', async (_, answer, findings, state) => {
    const result = await inspect(names(), answer).result;
    expect([result.state, result.findings.map(({ id }) => id)]).toEqual([state, findings]);
  });

  test('is shown with its fields unchanged if it is broken', async () => {
    const result = await inspect(names(), page(POLICY.replace('enforce', 'Enforce'))).result;
    expect(result).toMatchObject({ state: 'fail', policyMode: 'Enforce' });
  });
});

describe('the MX hosts and the policy', () => {
  const uncovered = names({
    'example.org': {
      MX: [
        [10, 'mx1.example.org'],
        [20, 'a.mx.example.net'],
        [30, 'mx.example.com'],
      ],
    },
  });

  test('an unmatched host is an error in mode enforce', async () => {
    expect(await findingsOf(uncovered)).toEqual([
      'mta-sts-mx-not-covered a.mx.example.net',
      'mta-sts-mx-not-covered mx.example.com',
    ]);
  });

  test('an unmatched host is a warning in mode testing', async () => {
    const testing = page(POLICY.replace('enforce', 'testing'));
    expect(await findingsOf(uncovered, testing)).toContain('mta-sts-mx-not-covered-yet mx.example.com');
  });

  test('an unmatched host is not reported in mode none', async () => {
    expect(await findingsOf(uncovered, page(POLICY.replace('enforce', 'none')))).toEqual([
      'mta-sts-mode-none',
    ]);
  });

  test.each<[string, ZoneLiteral]>([
    ['no MX records', names({ 'example.org': {} })],
    ['a null MX', names({ 'example.org': { MX: [[0, '.']] } })],
  ])('a domain with %s is reported', async (_, literal) => {
    expect(await findingsOf(literal)).toEqual(['mta-sts-no-mx']);
  });

  test('a failed MX lookup leaves the state unknown', async () => {
    const result = await inspect(names({ 'example.org': { MX: 'TIMEOUT' } })).result;
    expect(result).toMatchObject({ state: 'unknown', errors: [], warnings: [], policyMode: 'enforce' });
  });
});

test('a failed lookup of the record leaves the state unknown', async () => {
  const result = await inspect(names({ '_mta-sts.example.org': 'SERVFAIL' })).result;
  expect(result).toMatchObject({ state: 'unknown', dnsRecord: null, valid: false, errors: [], warnings: [] });
});

describe('the MX hosts', () => {
  type Starttls = Extract<SmtpAnswer, { status: 'found' }>['starttls'];
  type Shown = Extract<Starttls, { status: 'established' }>['certificate'];
  const hosted = names({
    'mx1.example.org': { A: ['192.0.2.1'] },
    'mx2.example.net': { A: ['192.0.2.2'], AAAA: ['2001:db8::2'] },
  });
  const shows = (changes: Partial<Shown> = {}): Starttls => ({
    status: 'established',
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    certificate: {
      validFrom: new Date('2026-01-01'),
      validTo: new Date('2027-01-01'),
      chain: [],
      trusted: true,
      matchesName: true,
      ...changes,
    },
  });

  /** Probes the listed addresses with these results; an unlisted address does not respond. */
  async function probed(says: Readonly<Record<string, Starttls>>, policy = POLICY, literal = hosted) {
    const dialled: string[] = [];
    const smtp: Smtp = {
      async probe({ hostname, address }) {
        dialled.push(address);
        const evidence = { hostname, address, milliseconds: 1 };
        const starttls = says[address];
        if (starttls === undefined) return { status: 'unavailable', reason: 'timeout', detail: '', evidence };
        return { status: 'found', starttls, recipient: 'not-asked', evidence };
      },
    };
    const web = fakeWeb({ [URL_OF_POLICY]: page(policy) });
    const clock = { now: () => new Date('2026-06-01') };
    const network = { dns: zone(literal), web, smtp, clock };
    const result = withMessages(await inspectMtaSts('example.org', network));
    return {
      result,
      dialled,
      ids: result.findings.map(({ id, subject }) => `${id} ${subject ?? ''}`.trim()),
    };
  }
  const good = { '192.0.2.1': shows(), '192.0.2.2': shows(), '2001:db8::2': shows() };

  test('are probed at every address, and raise no finding if all is in order', async () => {
    const { ids, dialled } = await probed(good);
    expect(ids).toEqual([]);
    expect(dialled).toEqual(Object.keys(good));
  });

  test.each<[string, Starttls, string]>([
    ['no STARTTLS', { status: 'not-offered' }, 'it does not offer STARTTLS'],
    ['broken TLS', { status: 'failed', reason: 'reply', detail: '454 no' }, 'STARTTLS fails (454 no)'],
    [
      'a certificate for another name',
      shows({ matchesName: false }),
      'its certificate does not match the host name',
    ],
    [
      'an expired certificate',
      shows({ trusted: false, untrustedReason: 'CERT_HAS_EXPIRED' }),
      'its certificate is not trusted (CERT_HAS_EXPIRED)',
    ],
  ])('with %s are an error in mode enforce, a warning in mode testing', async (_, starttls, problem) => {
    const says = { ...good, '192.0.2.2': starttls, '2001:db8::2': starttls };
    const enforced = await probed(says);
    expect(enforced.result).toMatchObject({ state: 'fail', valid: false });
    expect(enforced.result.findings).toMatchObject([
      { id: 'mta-sts-mx-not-secure', arguments: { host: 'mx2.example.net', ip: '192.0.2.2', problem } },
    ]);
    const tested = await probed(says, POLICY.replace('enforce', 'testing'));
    expect(tested.result).toMatchObject({ state: 'warning', valid: true });
    expect(tested.ids).toContain('mta-sts-mx-not-secure-yet mx2.example.net');
  });

  test('with a fault at only one address are reported too', async () => {
    const { ids } = await probed({ ...good, '2001:db8::2': { status: 'not-offered' } });
    expect(ids).toEqual(['mta-sts-mx-not-secure mx2.example.net']);
  });

  test('that cannot be probed are reported, and do not count against the policy', async () => {
    const { result } = await probed({ '192.0.2.1': shows() });
    expect(result).toMatchObject({ state: 'pass', valid: true, warnings: [], errors: [] });
    expect(result.findings).toMatchObject([
      { id: 'mta-sts-mx-not-asked', severity: 'notice', arguments: { hosts: ['mx2.example.net'] } },
    ]);
  });

  test('are not probed without a policy that protects them', async () => {
    const { dialled } = await probed(good, 'version: STSv1\nmode: none\nmax_age: 60\n');
    expect(dialled).toEqual([]);
  });

  test('are not probed if the policy does not name them', async () => {
    const { dialled } = await probed(good, POLICY.replace('mx: *.example.net\n', ''));
    expect(dialled).toEqual(['192.0.2.1']);
  });
});
