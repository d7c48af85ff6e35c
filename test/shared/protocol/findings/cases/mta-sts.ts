import { inspectMtaSts } from '../../../../../shared/checks/mta-sts/inspect.ts';
import { mtaStsRules } from '../../../../../shared/protocol/findings/mta-sts.ts';
import { fakeSmtp, type Says, withoutTls } from '../../../../kit/fake-smtp.ts';
import { type FakePage, type Fault, fakeWeb } from '../../../../kit/web.ts';
import { type ZoneNode, zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf, now } from './example.ts';
import { unavailable, withTls } from './mx-world.ts';

const DAY = 86_400_000;
const GOOD = policy('enforce', 'mx.example.org', 2_419_200);

/** The differences from a domain with correct MTA-STS. */
interface Input {
  /** The TXT records at _mta-sts.example.org, or the failure of their lookup. */
  readonly records?: ZoneNode['TXT'];
  /** The body of the policy. */
  readonly policy?: string;
  /** The response of the policy host instead of that body; null if the host has no address. */
  readonly page?: FakePage | Fault | null;
  readonly mx?: ZoneNode['MX'];
  /** The behaviour of mx.example.org; without it, the host has no address. */
  readonly says?: Says;
}

const record = (text: string): Input => ({ records: [text] });

function inspect({ records = ['v=STSv1; id=1'], policy: body = GOOD, page, mx, says }: Input) {
  const dns = zone({
    'example.org': { MX: mx ?? [[10, 'mx.example.org']] },
    '_mta-sts.example.org': { TXT: records },
    'mx.example.org': says === undefined ? {} : { A: ['192.0.2.1'] },
  });
  const smtp = fakeSmtp(() => says ?? unavailable('timeout'));
  const served = page === undefined ? { type: 'text/plain', body } : page;
  const url = 'https://mta-sts.example.org/.well-known/mta-sts.txt';
  return inspectMtaSts(
    'example.org',
    networkOf({ dns, web: fakeWeb(served === null ? {} : { [url]: served }), smtp }),
  );
}

export const mtaStsExamples = examplesOf<Input>('mta-sts', mtaStsRules, inspect, {
  'mta-sts-missing': [{ records: ['v=spf1 -all'], page: null }, { records: ['v=spf1 -all'] }],
  'mta-sts-not-needed': [
    { records: ['v=spf1 -all'], page: null, mx: [[0, '']] },
    { records: ['v=spf1 -all'], page: null },
  ],
  'mta-sts-multiple-records': [
    { records: ['v=STSv1; id=1', 'v=STSv1; id=2'] },
    { records: ['v=STSv1; id=1', 'v=spf1 -all'] },
  ],
  'mta-sts-record-ignored': [record('v=stsv1; id=1'), record('v=STSv1; id=1')],
  'mta-sts-record-malformed': [record('v=STSv1; id=1; oops'), record('v=STSv1; id=1; oops=1')],
  'mta-sts-id-missing': [record('v=STSv1;'), record('v=STSv1; id=1')],
  'mta-sts-id-invalid': [record(`v=STSv1; id=${'1'.repeat(33)}`), record(`v=STSv1; id=${'1'.repeat(32)}`)],
  'mta-sts-fields-repeated': [record('v=STSv1; id=1; v=STSv1'), record('v=STSv1; id=1; V=STSv1')],
  'mta-sts-record-unavailable': [{ records: 'SERVFAIL' }, { records: [] }],
  'mta-sts-policy-without-record': [{ records: [] }, { records: [], policy: 'oops' }],
  'mta-sts-policy-unavailable': [{ page: 'timeout' }, { page: { httpStatus: 500 } }],
  'mta-sts-policy-host-missing': [{ page: null }, { page: { httpStatus: 404 } }],
  'mta-sts-policy-certificate': [{ page: 'certificate' }, { page: 'tls' }],
  'mta-sts-policy-certificate-expiring': [certificateFor(29), certificateFor(31)],
  'mta-sts-policy-redirected': [{ page: { httpStatus: 301 } }, { page: { httpStatus: 404 } }],
  'mta-sts-policy-not-served': [{ page: { httpStatus: 404 } }, { page: { httpStatus: 503 } }],
  'mta-sts-policy-media-type': [
    { page: { type: 'text/html', body: GOOD } },
    { page: { type: 'Text/Plain; charset=utf-8', body: GOOD } },
  ],
  'mta-sts-policy-too-large': [
    { policy: GOOD.padEnd(65_537, 'x: y\n') },
    { policy: GOOD.padEnd(65_536, 'x: y\n') },
  ],
  'mta-sts-policy-malformed': [{ policy: `${GOOD}oops\n` }, { policy: `${GOOD}oops: 1\n` }],
  'mta-sts-policy-blank-line': [{ policy: `${GOOD}\n` }, { policy: GOOD }],
  'mta-sts-policy-fields-repeated': [
    { policy: `${GOOD}mode: none\n` },
    { policy: `${GOOD}mx: mx2.example.org\n` },
  ],
  'mta-sts-policy-field-missing': [inMode('enforce', null), inMode('none', null)],
  'mta-sts-policy-field-invalid': [
    inMode('enforce', 'mx.example.org', 31_557_601),
    inMode('enforce', 'mx.example.org', 31_557_600),
  ],
  'mta-sts-mode-none': [inMode('none', null), inMode('testing')],
  'mta-sts-mode-testing': [inMode('testing'), { policy: GOOD }],
  'mta-sts-max-age-low': [
    inMode('enforce', 'mx.example.org', 86_399),
    inMode('enforce', 'mx.example.org', 86_400),
  ],
  'mta-sts-mx-not-covered': [
    { ...inMode('enforce', '*.example.org'), mx: [[10, 'a.mx.example.org']] },
    { ...inMode('enforce', '*.example.org'), mx: [[10, 'mx.example.org']] },
  ],
  'mta-sts-mx-not-covered-yet': [
    inMode('testing', 'other.example.org'),
    inMode('enforce', 'other.example.org'),
  ],
  'mta-sts-mx-not-secure': [
    { says: withTls({}, { matchesName: false }) },
    // MTA-STS does not cover old TLS versions.
    { says: withTls({ protocol: 'TLSv1.1' }) },
  ],
  'mta-sts-mx-not-secure-yet': [
    { ...inMode('testing'), says: withoutTls },
    { ...inMode('none', null), says: withoutTls },
  ],
  'mta-sts-mx-not-asked': [{ says: unavailable('timeout') }, { says: withoutTls }],
  'mta-sts-no-mx': [{ mx: [[0, '.']] }, { mx: 'SERVFAIL' }],
  'mta-sts-mx-unavailable': [{ mx: 'SERVFAIL' }, { mx: [] }],
});

function policy(mode: string, mx: string | null, maxAge: number): string {
  const hosts = mx === null ? [] : [`mx: ${mx}`];
  return ['version: STSv1', `mode: ${mode}`, ...hosts, `max_age: ${maxAge}`, ''].join('\r\n');
}

function inMode(mode: string, mx: string | null = 'mx.example.org', maxAge = 604_800): Input {
  return { policy: policy(mode, mx, maxAge) };
}

function certificateFor(days: number): Input {
  const validTo = new Date(now.getTime() + days * DAY);
  return { page: { type: 'text/plain', body: GOOD, validTo } };
}
