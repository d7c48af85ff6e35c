import { describe, expect, test } from '@jest/globals';
import { inspectDmarc } from '../../../../shared/checks/dmarc/inspect.ts';
import { recorded } from '../../../kit/recorded.ts';
import { emptyResults } from '../../../kit/results.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

/** What most rows have in common, which recordings leave out. */
const usual = emptyResults().dmarc;
const inspect = async (domain: string, literal: ZoneLiteral) =>
  recorded(await inspectDmarc(domain, { dns: zone(literal) }), usual);
const own = (...TXT: string[]): ZoneLiteral => ({
  '_dmarc.example.org': { TXT },
  'example.org': { A: ['192.0.2.1'] },
});
const GOOD = 'v=DMARC1; p=reject; rua=mailto:dmarc@example.org';
const consent = (answer: ZoneLiteral[string]) => ({ 'example.org._report._dmarc.example.net': answer });
const authorized = consent({ TXT: ['v=DMARC1'] });
const redirecting = consent({ TXT: ['v=DMARC1; rua=mailto:x@example.com'] });
const reportingTo = (rua: string, more: ZoneLiteral = {}) => ({
  ...own(`v=DMARC1; p=none; rua=${rua}`),
  ...more,
});
const elsewhere = 'mailto:a@example.net';
const inherited: ZoneLiteral = {
  ...own('v=DMARC1; p=reject; sp=quarantine; adkim=s; rua=mailto:a@example.org'),
  'www.example.org': { A: ['192.0.2.1'] },
};
const eleven = Array.from({ length: 11 }, (_, n) => `mailto:a@r${n}.example.org`).join(',');

test.each<[what: string, ZoneLiteral, domain?: string]>([
  ['a good record passes', own(GOOD)],
  ['p=none passes, and is reported', own('v=DMARC1; p=none; rua=mailto:a@example.org')],
  ['no rua is a warning', own('v=DMARC1; p=none')],
  ['a broken record fails', own('v=DMARC1; p=rejct; rua=mailto:a@example.org')],
  ['several records fail', own(GOOD, GOOD)],
  ['a record that receivers ignore fails', own('v=DMARC1 p=reject')],
  ['no record is absent', { 'example.org': {} }],
  ['a failed lookup is unknown', { '_dmarc.example.org': 'SERVFAIL' }],
  ['a subdomain shows the record that applies and the resulting policy', inherited, 'www.example.org'],
  [
    'a subdomain gets a notice that p applies if there is no sp',
    { ...inherited, ...own(GOOD) },
    'www.example.org',
  ],
  ['reports reach no domain that did not authorize them', reportingTo(elsewhere)],
  ['reports reach a domain that did', reportingTo(elsewhere, authorized)],
  ['reports reach one of several', reportingTo(`mailto:a@example.com,${elsewhere}`, authorized)],
  ['reports reach nobody over https', reportingTo('https://example.org/reports')],
  ['failure reports are others', reportingTo(`${elsewhere}; ruf=mailto:a@example.org`)],
  ['reports may reach a domain whose lookup failed', reportingTo(elsewhere, consent('TIMEOUT'))],
  ['a weaker subdomain policy is reported', own(`${GOOD}; sp=none`)],
  ['a pct below 100 is reported', own(`${GOOD}; pct=50`)],
  ['psd=y is reported on a domain that is not a public suffix', own(`${GOOD}; psd=y`)],
  ['a destination that redirects reports is reported', reportingTo(elsewhere, redirecting)],
  [
    'sp below an organizational domain has no effect',
    { '_dmarc.unit.example.org': { TXT: [`${GOOD}; sp=none`] }, ...own(GOOD) },
    'unit.example.org',
  ],
  ['more destinations than are checked are reported', reportingTo(eleven)],
])('%s', async (_, ...[literal, domain = 'example.org']) => {
  await inspect(domain, literal);
});

test('several records are all listed, and one is shown although none applies', async () => {
  const texts = ['v=DMARC1; p=none', 'v=DMARC1; p=reject'];
  const literal = { '_dmarc.sub.example.org': { TXT: texts } };
  const none = { record: texts[0], records: texts, policyDomain: null, policy: null, valid: false };
  expect(await inspect('sub.example.org', literal)).toMatchObject(none);
  expect(await inspect('sub.example.org', { ...literal, ...own(GOOD) })).toMatchObject({
    record: GOOD,
    records: texts,
    policyDomain: 'example.org',
  });
});

describe('the report mailbox of the domain', () => {
  const mailbox = 'k3v9@reports.example';
  const trusting: ZoneLiteral = { '*._report._dmarc.reports.example': { TXT: ['v=DMARC1'] } };

  test.each<[string, string, string, readonly string[]]>([
    ['is named', 'rua=mailto:k3v9@reports.example', 'pass', []],
    ['is named beside another address', 'rua=mailto:a@example.org,mailto:k3v9@reports.example', 'pass', []],
    ['is named in another case', 'rua=MAILTO:K3V9@Reports.Example', 'pass', []],
    ['is named in percent-encoded characters', 'rua=mailto:k3%769%40reports.example?subject=x', 'pass', []],
    ['is named with a size limit', 'rua=mailto:k3v9@reports.example!10m', 'pass', ['dmarc-uri-size rua']],
    ['is not named', 'rua=mailto:a@example.org', 'pass', ['dmarc-mailbox-not-named']],
    ['is not named without rua', 't=n', 'warning', ['dmarc-missing-rua']],
    ['is mistyped', 'rua=mailto:k3v8@reports.example', 'warning', ['dmarc-wrong-mailbox rua']],
    [
      'appears beside the mailbox of another domain',
      'rua=mailto:k3v9@reports.example,mailto:zz@reports.example',
      'warning',
      ['dmarc-wrong-mailbox rua'],
    ],
    [
      'is mistyped for failure reports',
      'rua=mailto:k3v9@reports.example; ruf=mailto:k3v8@reports.example',
      'warning',
      ['dmarc-wrong-mailbox ruf'],
    ],
  ])('%s', async (_, tags, state, expected) => {
    const dns = zone({ ...own(`v=DMARC1; p=reject; ${tags}`), ...trusting });
    const result = await inspectDmarc('example.org', { dns }, { mailbox });
    expect(result.findings.map(({ id, subject }) => (subject ? `${id} ${subject}` : id))).toEqual(expected);
    expect(result).toMatchObject({ state, valid: true });
  });

  test.each<[string, string, readonly string[]]>([
    ['may name the mailbox of another domain', 'mailto:zz@reports.example', []],
    ['may name its own mailbox', 'mailto:k3v9@reports.example', []],
    ['misses the mailbox if reports go elsewhere', 'mailto:a@example.org', ['dmarc-mailbox-not-named']],
  ])('in an inherited record %s', async (_, rua, expected) => {
    const published = own(`v=DMARC1; p=reject; rua=${rua}`);
    const dns = zone({ 'mail.example.org': { A: ['192.0.2.1'] }, ...published, ...trusting });
    const { findings } = await inspectDmarc('mail.example.org', { dns }, { mailbox });
    expect(findings.map(({ id }) => id)).toEqual(['dmarc-inherited', ...expected]);
  });

  test('is not checked if no record applies', async () => {
    const { findings } = await inspectDmarc('example.org', { dns: zone({ 'example.org': {} }) }, { mailbox });
    expect(findings.map(({ id }) => id)).toEqual(['dmarc-missing']);
  });
});
