import { describe, expect, test } from '@jest/globals';
import { inspectDmarc } from '../../../../shared/checks/dmarc/inspect.ts';
import { withMessages } from '../../../kit/findings.ts';
import { recorded } from '../../../kit/recorded.ts';
import { emptyResults } from '../../../kit/results.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

/** What most rows have in common, which recordings leave out. */
const usual = emptyResults().dmarc;
const inspect = (domain: string, literal: ZoneLiteral) =>
  inspectDmarc(domain, { dns: zone(literal) })
    .then((found) => recorded(found, usual))
    .then(withMessages);
const own = (record: string): ZoneLiteral => ({
  '_dmarc.example.org': { TXT: [record] },
  'example.org': { A: ['192.0.2.1'] },
});
const GOOD = 'v=DMARC1; p=reject; rua=mailto:dmarc@example.org';

async function findingsOf(domain: string, literal: ZoneLiteral): Promise<string[]> {
  const { findings } = await inspect(domain, literal);
  return findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));
}

test('a domain with a good record passes', async () => {
  expect(await inspect('example.org', own(GOOD))).toMatchObject({ state: 'pass', findings: [] });
});

describe('the state', () => {
  const two: ZoneLiteral = { '_dmarc.example.org': { TXT: [GOOD, GOOD] } };
  test.each<[string, ZoneLiteral, string, boolean]>([
    ['is pass with p=none', own('v=DMARC1; p=none; rua=mailto:a@example.org'), 'pass', true],
    ['is warning with no rua', own('v=DMARC1; p=none'), 'warning', true],
    ['is fail with a broken record', own('v=DMARC1; p=rejct; rua=mailto:a@example.org'), 'fail', false],
    ['is fail with several records', two, 'fail', false],
    ['is fail with a record that receivers ignore', own('v=DMARC1 p=reject'), 'fail', false],
    ['is absent without a record', { 'example.org': {} }, 'absent', false],
    ['is unknown if the lookup failed', { '_dmarc.example.org': 'SERVFAIL' }, 'unknown', false],
  ])('%s', async (_, literal, state, valid) => {
    expect(await inspect('example.org', literal)).toMatchObject({ state, valid });
  });

  test('with several records lists all of them, and shows one although none applies', async () => {
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
});

describe('a domain without a record of its own', () => {
  const literal: ZoneLiteral = {
    '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject; sp=quarantine; adkim=s; rua=mailto:a@example.org'] },
    'www.example.org': { A: ['192.0.2.1'] },
  };

  test('shows the record that applies and the resulting policy', async () => {
    const found = await inspect('www.example.org', literal);
    expect(found).toMatchObject({ policyDomain: 'example.org', effectivePolicy: 'quarantine' });
    expect(found.findings.map(({ id }) => id)).toContain('dmarc-inherited');
  });

  test('gets a notice that p applies if there is no sp', async () => {
    const { findings } = await inspect('www.example.org', { ...literal, ...own(GOOD) });
    expect(findings).toMatchObject([{ id: 'dmarc-inherited', arguments: { tag: 'p' } }]);
  });

  test('needs no consent for reports to the domain of the record', async () => {
    expect(await findingsOf('www.example.org', own(GOOD))).toEqual(['dmarc-inherited']);
  });
});

describe('aggregate reports', () => {
  const consent = (answer: ZoneLiteral[string]) => ({ 'example.org._report._dmarc.example.net': answer });
  const authorized = consent({ TXT: ['v=DMARC1'] });
  test.each<[string, string, ZoneLiteral, boolean | null]>([
    ['reach a mailbox of the domain', 'rua=mailto:a@example.org', {}, true],
    ['reach no domain that did not authorize them', 'rua=mailto:a@example.net', {}, false],
    ['reach a domain that did', 'rua=mailto:a@example.net', authorized, true],
    ['reach one of several', 'rua=mailto:a@example.com,mailto:a@example.net', authorized, true],
    ['reach nobody over https', 'rua=https://example.org/reports', {}, false],
    ['are not failure reports', 'ruf=mailto:a@example.org; rua=mailto:a@example.net', {}, false],
    ['reach nobody without an address', 'adkim=r', {}, false],
    ['may reach a domain whose lookup failed', 'rua=mailto:a@example.net', consent('TIMEOUT'), null],
  ])('%s', async (_, tags, literal, ruaUsable) => {
    const zone = { ...own(`v=DMARC1; p=none; ${tags}`), ...literal };
    expect(await inspect('example.org', zone)).toMatchObject({ ruaUsable });
  });
});

describe('a finding reports', () => {
  test.each<[string, string, string[]]>([
    ['p=none', 'v=DMARC1; p=none; rua=mailto:a@example.org', ['dmarc-monitoring-only']],
    [
      'a weaker subdomain policy',
      'v=DMARC1; p=reject; sp=none; rua=mailto:a@example.org',
      ['dmarc-weaker-subdomain-policy sp'],
    ],
    ['a pct below 100', 'v=DMARC1; p=reject; pct=50; rua=mailto:a@example.org', ['dmarc-partial']],
    ['a missing report address', 'v=DMARC1; p=reject', ['dmarc-missing-rua']],
    ['psd=y on a domain that is not a public suffix', `${GOOD}; psd=y`, ['dmarc-claims-public-suffix']],
    [
      'a destination without consent',
      'v=DMARC1; p=reject; rua=mailto:a@example.net',
      ['dmarc-unauthorized-destination example.net'],
    ],
  ])('%s', async (_, record, expected) => {
    expect(await findingsOf('example.org', own(record))).toEqual(expected);
  });

  test('a destination that redirects reports', async () => {
    const literal = {
      'example.org._report._dmarc.example.net': { TXT: ['v=DMARC1; rua=mailto:x@example.com'] },
    };
    const record = 'v=DMARC1; p=reject; rua=mailto:a@example.net';
    expect(await findingsOf('example.org', { ...own(record), ...literal })).toEqual([
      'dmarc-foreign-override example.net',
    ]);
  });

  test('a destination whose lookup failed, without changing the state', async () => {
    const literal = { 'example.org._report._dmarc.example.net': 'TIMEOUT' } as const;
    const record = 'v=DMARC1; p=reject; rua=mailto:a@example.net';
    expect(await inspect('example.org', { ...own(record), ...literal })).toMatchObject({
      state: 'pass',
      findings: [{ id: 'dmarc-destination-unknown', severity: 'notice' }],
    });
  });

  test('sp and np below an organizational domain, where they have no effect', async () => {
    const literal = { '_dmarc.unit.example.org': { TXT: [`${GOOD}; sp=none`] }, ...own(GOOD) };
    expect(await findingsOf('unit.example.org', literal)).toContain('dmarc-subdomain-policy-ignored');
  });

  test('more destinations than are checked', async () => {
    const uris = Array.from({ length: 11 }, (_, n) => `mailto:a@r${n}.example.org`).join(',');
    expect(await findingsOf('example.org', own(`v=DMARC1; p=reject; rua=${uris}`))).toEqual([
      'dmarc-many-destinations',
    ]);
  });
});

describe('the report mailbox of the domain', () => {
  const mailbox = 'k3v9@reports.example';
  const consent: ZoneLiteral = { '*._report._dmarc.reports.example': { TXT: ['v=DMARC1'] } };
  const parent = (rua: string): ZoneLiteral => ({
    'mail.example.org': { A: ['192.0.2.1'] },
    ...own(`v=DMARC1; p=reject; rua=${rua}`),
  });

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
    const dns = zone({ ...own(`v=DMARC1; p=reject; ${tags}`), ...consent });
    const result = await inspectDmarc('example.org', { dns }, { mailbox });
    expect(result.findings.map(({ id, subject }) => (subject ? `${id} ${subject}` : id))).toEqual(expected);
    expect(result).toMatchObject({ state, valid: true });
  });

  test.each<[string, string, readonly string[]]>([
    ['may name the mailbox of another domain', 'mailto:zz@reports.example', []],
    ['may name its own mailbox', 'mailto:k3v9@reports.example', []],
    ['misses the mailbox if reports go elsewhere', 'mailto:a@example.org', ['dmarc-mailbox-not-named']],
  ])('in an inherited record %s', async (_, rua, expected) => {
    const dns = zone({ ...parent(rua), ...consent });
    const { findings } = await inspectDmarc('mail.example.org', { dns }, { mailbox });
    expect(findings.map(({ id }) => id)).toEqual(['dmarc-inherited', ...expected]);
  });

  test('is not checked if no record applies', async () => {
    const { findings } = await inspectDmarc('example.org', { dns: zone({ 'example.org': {} }) }, { mailbox });
    expect(findings.map(({ id }) => id)).toEqual(['dmarc-missing']);
  });
});
