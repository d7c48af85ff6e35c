import { describe, expect, test } from '@jest/globals';
import { inspectDkim, MAX_KNOWN_SELECTORS } from '../../../../shared/checks/dkim/inspect.ts';
import { commonSelectors } from '../../../../shared/protocol/dkim/selectors.ts';
import { rsaForm } from '../../../kit/dkim-signer.ts';
import { recorded, unlike } from '../../../kit/recorded.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const STRONG = rsaForm(2048);
const GOOD = { TXT: [`v=DKIM1; k=rsa; p=${STRONG}`] };
const SHORT = { TXT: [`v=DKIM1; p=${rsaForm(1024)}`] };
const WEAK = { TXT: [`v=DKIM1; p=${rsaForm(768)}`] };
const REVOKED = { TXT: ['v=DKIM1; p='] };
const ED25519 = { TXT: ['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='] };

/** What most keys have in common, which recordings leave out. */
const usual = {
  ...{ state: 'pass', findings: [], alias: null, record: GOOD.TXT[0], version: 'DKIM1', keyType: 'rsa' },
  ...{ keySize: 2048, publicKey: STRONG, valid: true, revoked: false, testing: false },
};

const at = (selector: string) => `${selector}._domainkey.example.org`;
const TIMEOUT = 'TIMEOUT' as const;
const WILDCARD = at('*');
const alias = (CNAME: string) => ({ CNAME: [CNAME] });

test.each<[what: string, ZoneLiteral, Parameters<typeof inspectDkim>[2]?]>([
  ['a strong key passes, also beside a revoked one', { [at('google')]: GOOD, [at('s1')]: REVOKED }],
  ['a short key is a warning', { [at('google')]: SHORT }],
  ['a broken key beside a good one is a warning', { [at('google')]: GOOD, [at('s1')]: WEAK }],
  ['only broken keys fail', { [at('google')]: WEAK, [at('s1')]: REVOKED }],
  ['only revoked keys are none', { [at('google')]: REVOKED }],
  ['no key is found and every lookup succeeded', {}],
  ['no key is found and a lookup failed', { [at('google')]: TIMEOUT }],
  ['every lookup failed', { '_domainkey.example.org': {}, [WILDCARD]: 'SERVFAIL' }],
  ['a key is found and the lookup of another selector failed', { [at('google')]: GOOD, [at('s1')]: TIMEOUT }],
  ['keys are sorted by selector', { [at('selector1')]: GOOD, [at('google')]: REVOKED }],
  ['a key in test mode is valid, with a warning', { [at('google')]: { TXT: [`v=DKIM1; t=y; p=${STRONG}`] } }],
  ['a key is found through a CNAME', { [at('s1')]: alias('s1.sender.example'), 's1.sender.example': GOOD }],
  [
    'behind several aliases, the target of the first is shown, which the owner publishes',
    {
      [at('s1')]: alias('s1.sender.example'),
      's1.sender.example': alias('k7.sender.example'),
      'k7.sender.example': GOOD,
    },
  ],
  [
    'a key is invalid beside another record at its name (RFC 6376 section 3.6.2.2)',
    { [at('google')]: { TXT: [...GOOD.TXT, ...REVOKED.TXT] } },
  ],
  ['a record of another protocol is no key', { [at('google')]: { TXT: ['v=spf1 -all'] } }],
  ['ed25519 without an RSA key is reported', { [at('google')]: ED25519 }],
  ['ed25519 beside an RSA key is not', { [at('google')]: ED25519, [at('s1')]: GOOD }],
  ['a wildcard yields no keys and is reported', { [WILDCARD]: GOOD }],
  [
    'a wildcard does not hide a selector with a different record',
    { [WILDCARD]: REVOKED, [at('google')]: GOOD },
  ],
  [
    'a known selector counts although a wildcard has its record',
    { [WILDCARD]: GOOD },
    { knownSelectors: ['used'] },
  ],
  [
    'known selectors are looked up in any case',
    { [at('Rare.2026')]: GOOD },
    { knownSelectors: ['rare.2026'] },
  ],
  [
    'those of the provider that MX hosts reveal are looked up',
    { 'example.org': { MX: [[10, 'mx1.titan.email']] }, [at('titan1')]: GOOD },
  ],
  [
    'those of the provider that SPF reveals are looked up',
    { 'example.org': { TXT: ['v=spf1 include:_spf.salesforce.com -all'] }, [at('200608')]: GOOD },
  ],
  ['the lookups of MX and SPF may fail', { 'example.org': 'SERVFAIL', [at('google')]: GOOD }],
  [
    'a named selector counts although a wildcard has its record',
    { [WILDCARD]: GOOD },
    { namedSelectors: ['rare'] },
  ],
  [
    'a named selector without a key is a warning beside a valid key',
    { [at('google')]: GOOD },
    { namedSelectors: ['rare'], knownSelectors: ['rare'] },
  ],
  ['a named selector is no key', {}, { namedSelectors: ['rare'] }],
  [
    'a named selector is unknown if its lookup failed',
    { [at('rare')]: TIMEOUT },
    { namedSelectors: ['rare'] },
  ],
  ['the key of a known selector is gone', { [at('google')]: GOOD }, { knownSelectors: ['old'] }],
  [
    'the key of a known selector is unknown if its lookup failed',
    { [at('google')]: GOOD, [at('old')]: TIMEOUT },
    { knownSelectors: ['old'] },
  ],
])('%s', async (_, ...[literal, options]) => {
  const found = await inspectDkim('example.org', { dns: zone(literal) }, options);
  recorded({ ...found, selectors: found.selectors.map((key) => unlike(key, usual)) });
});

describe('the selectors to look up', () => {
  test('are looked up once each, with one random selector, and known ones up to a limit', async () => {
    const dns = zone({ 'example.org': { MX: [[1, 'aspmx.l.google.com']] } });
    const known = ['google', 'no spaces', '', ...Array.from({ length: 500 }, (_, n) => `forged${n}`)];
    await inspectDkim('example.org', { dns }, { knownSelectors: known });
    expect(new Set(dns.questions).size).toBe(dns.questions.length);
    const probes = dns.questions.filter((question) => question.includes('._domainkey.'));
    expect(probes).toHaveLength(commonSelectors.length + MAX_KNOWN_SELECTORS - 1 + 1);
    expect(dns.questions.filter((question) => !question.includes('_domainkey'))).toEqual([
      'example.org MX',
      'example.org TXT',
    ]);
  });

  test('include one that the owner named, however many others are known', async () => {
    const dns = zone({ [at('rare')]: GOOD, [at('seen29')]: GOOD, [at('seen30')]: GOOD });
    const knownSelectors = ['rare', ...Array.from({ length: 500 }, (_, n) => `seen${n}`)];
    const { selectors } = await inspectDkim(
      'example.org',
      { dns },
      { namedSelectors: ['Rare'], knownSelectors },
    );
    expect(selectors.map(({ selector }) => selector)).toEqual(['rare', 'seen29']);
  });

  test('are looked up concurrently, those of the provider after its lookup', async () => {
    const dns = zone({ 'example.org': { MX: [[10, 'mx1.titan.email']] } }, { delayMilliseconds: 200 });
    await inspectDkim('example.org', { dns });
    expect(dns.mostAtOnce).toBeGreaterThan(dns.questions.length / 2);
  });
});
