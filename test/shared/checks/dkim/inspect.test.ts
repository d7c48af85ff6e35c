import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { inspectDkim, MAX_KNOWN_SELECTORS } from '../../../../shared/checks/dkim/inspect.ts';
import { commonSelectors } from '../../../../shared/protocol/dkim/selectors.ts';
import { withMessages } from '../../../kit/findings.ts';
import { recorded, unlike } from '../../../kit/recorded.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

/** The form of an RSA key of this length, always the same. */
function keyOf(modulusLength: number): string {
  const modulus = Buffer.alloc(Math.ceil(modulusLength / 8), 0xab);
  modulus[0] = 1 << ((modulusLength - 1) % 8);
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

const STRONG = keyOf(2048);
const GOOD = { TXT: [`v=DKIM1; k=rsa; p=${STRONG}`] };
const SHORT = { TXT: [`v=DKIM1; p=${keyOf(1024)}`] };
const WEAK = { TXT: [`v=DKIM1; p=${keyOf(768)}`] };
const REVOKED = { TXT: ['v=DKIM1; p='] };
const ED25519 = { TXT: ['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='] };

/** What most keys have in common, which recordings leave out. */
const usual = {
  ...{ state: 'pass', findings: [], alias: null, record: GOOD.TXT[0], version: 'DKIM1', keyType: 'rsa' },
  ...{ keySize: 2048, publicKey: STRONG, valid: true, revoked: false, testing: false },
};

const at = (selector: string) => `${selector}._domainkey.example.org`;
const inspect = (literal: ZoneLiteral, knownSelectors?: readonly string[]) =>
  inspectDkim('example.org', { dns: zone(literal) }, { knownSelectors }).then((found) => {
    const selectors = found.selectors.map((key) => unlike(key, usual));
    recorded({ ...found, selectors });
    return found;
  });
const ids = (outcome: { readonly findings: readonly { readonly id: string }[] }) =>
  outcome.findings.map(({ id }) => id);

describe('the state of the check', () => {
  test.each<[string, ZoneLiteral, string]>([
    ['is pass with a strong key', { [at('google')]: GOOD }, 'pass'],
    ['is pass with a revoked key beside it', { [at('google')]: GOOD, [at('s1')]: REVOKED }, 'pass'],
    ['is warning with a short key', { [at('google')]: SHORT }, 'warning'],
    ['is warning with a broken key beside a good one', { [at('google')]: GOOD, [at('s1')]: WEAK }, 'warning'],
    ['is fail with only broken keys', { [at('google')]: WEAK, [at('s1')]: REVOKED }, 'fail'],
    ['is absent with only revoked keys', { [at('google')]: REVOKED }, 'absent'],
    ['is absent if no key is found and every lookup succeeded', {}, 'absent'],
    ['is unknown if no key is found and a lookup failed', { [at('google')]: 'TIMEOUT' }, 'unknown'],
    [
      'is unknown if every lookup failed',
      { '_domainkey.example.org': {}, '*._domainkey.example.org': 'SERVFAIL' },
      'unknown',
    ],
    [
      'is pass if a key is found and the lookup of another selector failed',
      { [at('google')]: GOOD, [at('s1')]: 'TIMEOUT' },
      'pass',
    ],
  ])('%s', async (_, literal, state) => {
    expect((await inspect(literal)).state).toBe(state);
  });
});

describe('a key', () => {
  test('is shown with its fields, sorted by selector', async () => {
    const { selectors } = await inspect({ [at('selector1')]: GOOD, [at('google')]: REVOKED });
    expect(selectors.map(({ selector, valid }) => [selector, valid])).toEqual([
      ['google', false],
      ['selector1', true],
    ]);
  });

  test('that is too weak is invalid (RFC 8301), and its findings are sentences', async () => {
    const { selectors } = await inspect({ [at('google')]: WEAK });
    expect(selectors).toMatchObject([{ valid: false, state: 'fail', keySize: 768 }]);
    expect(selectors[0] && withMessages(selectors[0]).errors).toEqual([expect.stringContaining('768 bits')]);
  });

  test('in test mode is valid, with a warning', async () => {
    const { selectors } = await inspect({ [at('google')]: { TXT: [`v=DKIM1; t=y; p=${STRONG}`] } });
    expect(selectors).toMatchObject([{ valid: true, testing: true, state: 'warning' }]);
  });

  test('is found through a CNAME', async () => {
    const { selectors } = await inspect({
      [at('s1')]: { CNAME: ['s1.sender.example'] },
      's1.sender.example': GOOD,
    });
    expect(selectors).toMatchObject([{ selector: 's1', valid: true, alias: 's1.sender.example' }]);
    const direct = await inspect({ [at('s1')]: GOOD });
    expect(direct.selectors).toMatchObject([{ selector: 's1', alias: null }]);
  });

  test('behind several aliases has the target of the first, which is the one that the owner publishes', async () => {
    const { selectors } = await inspect({
      [at('s1')]: { CNAME: ['s1.sender.example'] },
      's1.sender.example': { CNAME: ['k7.sender.example'] },
      'k7.sender.example': GOOD,
    });
    expect(selectors).toMatchObject([{ selector: 's1', alias: 's1.sender.example' }]);
  });

  test('is invalid beside another record at its name (RFC 6376 section 3.6.2.2)', async () => {
    const check = await inspect({ [at('google')]: { TXT: [...GOOD.TXT, ...REVOKED.TXT] } });
    expect(check.selectors.map(ids)).toEqual([['dkim-multiple-records']]);
    expect(check.state).toBe('fail');
  });

  test('is not detected in records of other protocols at the name', async () => {
    expect(await inspect({ [at('google')]: { TXT: ['v=spf1 -all'] } })).toMatchObject({
      state: 'absent',
      selectors: [],
    });
  });

  test('of type ed25519 without an RSA key is reported', async () => {
    expect(ids(await inspect({ [at('google')]: ED25519 }))).toEqual(['dkim-ed25519-only']);
    expect(ids(await inspect({ [at('google')]: ED25519, [at('s1')]: GOOD }))).toEqual([]);
  });
});

describe('a wildcard below _domainkey', () => {
  const WILDCARD = '*._domainkey.example.org';

  test('yields no keys and is reported', async () => {
    const check = await inspect({ [WILDCARD]: GOOD });
    expect(check.selectors).toEqual([]);
    expect(ids(check)).toEqual(['dkim-wildcard', 'dkim-none-found']);
  });

  test('does not hide a selector with a different record', async () => {
    const { selectors } = await inspect({ [WILDCARD]: REVOKED, [at('google')]: GOOD });
    expect(selectors.map(({ selector }) => selector)).toEqual(['google']);
  });
});

test('a known selector counts even if a wildcard has the same record', async () => {
  const check = await inspect({ '*._domainkey.example.org': GOOD }, ['used']);
  expect(check).toMatchObject({ state: 'pass', selectors: [{ selector: 'used', valid: true }] });
  expect(ids(check)).toEqual(['dkim-wildcard']);
});

describe('the selectors to look up', () => {
  test('include the known ones', async () => {
    const { selectors } = await inspect({ [at('Rare.2026')]: GOOD }, ['rare.2026']);
    expect(selectors.map(({ selector }) => selector)).toEqual(['rare.2026']);
  });

  test('include those of the provider that the MX hosts reveal', async () => {
    const mx = { MX: [[10, 'mx1.titan.email']] as const };
    const { selectors } = await inspect({ 'example.org': mx, [at('titan1')]: GOOD });
    expect(selectors.map(({ selector }) => selector)).toEqual(['titan1']);
  });

  test('include those of the provider that SPF reveals', async () => {
    const txt = { TXT: ['v=spf1 include:_spf.salesforce.com -all'] };
    const { selectors } = await inspect({ 'example.org': txt, [at('200608')]: GOOD });
    expect(selectors.map(({ selector }) => selector)).toEqual(['200608']);
  });

  test('do not depend on successful MX or SPF lookups', async () => {
    expect(await inspect({ 'example.org': 'SERVFAIL', [at('google')]: GOOD })).toMatchObject({
      state: 'pass',
    });
  });

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

  test('are looked up concurrently, those of the provider after its lookup', async () => {
    const dns = zone({ 'example.org': { MX: [[10, 'mx1.titan.email']] } }, { delayMilliseconds: 200 });
    await inspectDkim('example.org', { dns });
    expect(dns.mostAtOnce).toBeGreaterThan(dns.questions.length / 2);
  });
});

describe('a selector that the owner named', () => {
  const many = Array.from({ length: 500 }, (_, n) => `seen${n}`);
  const named = (literal: ZoneLiteral, ...namedSelectors: string[]) =>
    inspectDkim('example.org', { dns: zone(literal) }, { namedSelectors, knownSelectors: many });

  test('is looked up however many others are known', async () => {
    const { selectors } = await named({ [at('rare')]: GOOD, [at('seen19')]: GOOD }, 'Rare');
    expect(selectors.map(({ selector }) => selector)).toEqual(['rare', 'seen19']);
  });

  test('counts even if a wildcard has the same record', async () => {
    const { selectors } = await named({ '*._domainkey.example.org': GOOD }, 'rare');
    expect(selectors.map(({ selector }) => selector)).toContain('rare');
  });

  test('is reported if it has no key, as a warning beside a valid key', async () => {
    const check = await inspectDkim(
      'example.org',
      { dns: zone({ [at('google')]: GOOD }) },
      { namedSelectors: ['rare'], knownSelectors: ['rare'] },
    );
    expect(check).toMatchObject({
      state: 'warning',
      selectors: [{ selector: 'google', state: 'pass' }],
      findings: [{ id: 'dkim-selector-missing', subject: 'rare', severity: 'warning' }],
    });
  });

  test('does not replace a key: without any, DKIM is absent', async () => {
    const check = await inspectDkim('example.org', { dns: zone({}) }, { namedSelectors: ['rare'] });
    expect(check).toMatchObject({ state: 'absent', selectors: [] });
    expect(ids(check)).toEqual(['dkim-selector-missing', 'dkim-none-found']);
  });

  test('is unknown if its lookup failed', async () => {
    const { selectors } = await named({ [at('rare')]: 'TIMEOUT' }, 'rare');
    expect(selectors).toMatchObject([{ selector: 'rare', state: 'unknown' }]);
  });
});

describe('the key of a known selector', () => {
  test('is reported as gone after its removal', async () => {
    const check = await inspect({ [at('google')]: GOOD }, ['old']);
    expect(check.findings).toMatchObject([{ id: 'dkim-selector-gone', subject: 'old', severity: 'notice' }]);
    expect(check.state).toBe('pass');
  });

  test('is unknown if its lookup failed', async () => {
    const check = await inspect({ [at('google')]: GOOD, [at('old')]: 'TIMEOUT' }, ['old']);
    expect(check.selectors.map(({ state }) => state)).toEqual(['pass', 'unknown']);
    expect(ids(check)).toEqual(['dkim-incomplete']);
  });
});
