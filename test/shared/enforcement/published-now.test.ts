import { describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { assess, type Given, rule, steady } from '../../kit/readiness.ts';
import { ownMail } from '../../kit/report-history.ts';
import { perfectResults } from '../../kit/results.ts';

describe('records published now', () => {
  const name = 'Records published now';
  const days = steady(() => [ownMail()]);
  const problems = async (results: Given['results'], of = days, usedSelectors: readonly string[] = []) =>
    (await rule(name, of, { usedSelectors, ...(results !== undefined && { results }) }))?.actual;
  const withDmarc =
    (changes: Partial<CheckResults['dmarc']>) =>
    ({ dmarc }: CheckResults) => ({
      dmarc: { ...dmarc, ...changes },
    });
  const withSpf =
    (changes: Partial<CheckResults['spf']>) =>
    ({ spf }: CheckResults) => ({
      spf: { ...spf, ...changes },
    });
  const key = (selector: string, isValid: boolean, changes = {}) => {
    const [good] = perfectResults('sends-and-receives').dkim.selectors;
    if (good === undefined) throw new Error('the perfect domain has no key');
    const state = isValid ? ('pass' as const) : ('fail' as const);
    return { ...good, selector, valid: isValid, state, ...changes };
  };
  const withKeys =
    (selectors: CheckResults['dkim']['selectors'], changes = {}) =>
    () => ({
      dkim: { state: 'pass' as const, findings: [], selectors: [...selectors], ...changes },
    });

  test('hold nothing up if they are as required', async () => {
    expect(await problems(undefined)).toBe('as required');
  });

  test('must not be a permerror in SPF, or unknown', async () => {
    expect(await problems(withSpf({ valid: false, state: 'fail' }))).toBe('SPF is a permerror');
    expect(await problems(withSpf({ state: 'unknown' }))).toBe('the SPF record is unknown');
    const unknown = withDmarc({ state: 'unknown', record: null });
    expect(await assess(days, { results: unknown })).toMatchObject({
      ready: false,
      rule: expect.arrayContaining([expect.objectContaining({ actual: 'the DMARC record is unknown' })]),
    });
  });

  test('must name an address that reports reach', async () => {
    const missing = 'no rua address that reports reach';
    expect(await problems(withDmarc({ rua: [] }))).toBe(missing);
    expect(await problems(withDmarc({ rua: ['https://example.org/reports'] }))).toBe(missing);
    expect(await problems(withDmarc({ rua: ['mailto:a@b.example'], ruaUsable: false }))).toBe(missing);
    expect(await problems(withDmarc({ rua: ['mailto:a@b.example'], ruaUsable: true }))).toBe('as required');
    // A failed lookup is not a missing authorization.
    expect(await problems(withDmarc({ rua: ['mailto:a@b.example'], ruaUsable: null }))).toBe('as required');
  });

  test('must include the keys that large receivers saw in use, and no others', async () => {
    const isUnusable = 'the DKIM key s1 is in use, and not valid';
    const used = ['s1', 'good', 'not-looked-up-yet'];
    const good = key('good', true);
    expect(await problems(withKeys([good, key('s1', false)]), days, used)).toBe(isUnusable);
    expect(await problems(withKeys([good, key('s1', false, { revoked: true })]), days, used)).toBe(
      isUnusable,
    );
    const gone = {
      id: 'dkim-selector-gone',
      severity: 'notice',
      subject: 's1',
      arguments: { selector: 's1' },
    };
    expect(await problems(withKeys([good], { findings: [gone] }), days, used)).toBe(isUnusable);
    expect(await problems(withKeys([good, key('s1', false, { state: 'unknown' })]), days, used)).toBe(
      'as required',
    );
    expect(await problems(withKeys([good, key('stale', false)]), days, used)).toBe('as required');
  });

  test('must include a valid key if approved mail is signed with one', async () => {
    const revoked = key('old', false, { revoked: true, publicKey: '' });
    expect(await problems(withKeys([revoked]))).toBe('no valid DKIM key');
    expect(await problems(withKeys([key('s1', false)]))).toBe('no valid DKIM key');
    expect(await problems(withKeys([], { state: 'absent' }))).toBe('no valid DKIM key');
    expect(await problems(withKeys([revoked, key('s1', false), key('good', true)]))).toBe('as required');
    expect(await problems(withKeys([], { state: 'unknown' }))).toBe('the DKIM keys are unknown');
    // Approved mail that relies on SPF, and mail that a subdomain signs, need no key of the domain.
    const unsigned = steady(() => [ownMail({ dkim: 'fail', dkimDomains: [] })]);
    expect(await problems(withKeys([revoked]), unsigned)).toBe('as required');
    const below = steady(() => [ownMail({ dkimDomains: ['mail.example.org'] })]);
    expect(await problems(withKeys([]), below)).toBe('as required');
  });
});
