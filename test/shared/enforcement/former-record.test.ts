import { describe, expect, test } from '@jest/globals';
import { formerRecord } from '../../../shared/enforcement/watch-step.ts';
import type { Policy } from '../../../shared/protocol/dmarc/record.ts';
import type { ChecksEntry } from '../../../shared/store/check-runs/history.ts';

const RUA = 'rua=mailto:a@example.org';

/** A check run that found another record in place of these. */
const changed = (...recordsRemoved: readonly string[]): ChecksEntry => ({
  at: '2026-03-01T00:00:00Z',
  changes: [
    {
      ...{ check: 'dmarc', previousState: 'pass', newState: 'pass', omitted: 0 },
      ...{ recordsAdded: ['v=DMARC1; p=reject'], recordsRemoved: [...recordsRemoved] },
      ...{ findingsAdded: [], findingsRemoved: [] },
    },
  ],
});

const back = (
  text: string,
  previous: Policy,
  entries: readonly ChecksEntry[] = [],
  policyDomain = 'example.org',
) => formerRecord({ text, policyDomain }, { domain: 'example.org', previous }, entries);

describe('with the record that check runs found before', () => {
  const former = `v=DMARC1; p=none; sp=none; pct=100; ${RUA}`;

  test('it is proposed as it was, the latest one of that policy', () => {
    const entries = [changed('v=DMARC1; p=quarantine'), changed(former), changed(`v=DMARC1; p=none; ${RUA}`)];
    expect(back(`v=DMARC1; p=reject; ${RUA}`, 'none', entries)).toBe(former);
  });

  test.each([
    ['its reports go elsewhere', [former.replace('a@', 'old@')]],
    ['it was shortened', [`${former}; x=${'y'.repeat(200)}...`]],
    ['there were two records', [former, 'v=DMARC1; p=none']],
    ['it had another policy', [former.replace('p=none; sp', 'p=quarantine; sp')]],
  ])('it is not if %s', (_, removed) => {
    expect(back(`v=DMARC1; p=reject; fo=1; ${RUA}`, 'none', [changed(...removed)])).toBe(
      `v=DMARC1; p=none; fo=1; ${RUA}`,
    );
  });
});

test.each([
  [
    `v=DMARC1; p=reject; sp=reject; np=quarantine; ${RUA}`,
    'quarantine',
    'p=quarantine; sp=quarantine; np=quarantine; ',
  ],
  [`v=DMARC1; p=reject; sp=none; np=reject; ${RUA}`, 'quarantine', 'p=quarantine; sp=none; np=quarantine; '],
  [`v=DMARC1; p=reject; sp=none; adkim=s; ${RUA}`, 'quarantine', 'p=quarantine; sp=none; adkim=s; '],
  [`v=DMARC1; P=Reject; T=y; ${RUA}`, 'none', 'p=none; '],
] as const)(
  'without it, %s goes back to p=%s, and keeps what the policy does not concern',
  (text, previous, tags) => {
    expect(back(text, previous)).toBe(`v=DMARC1; ${tags}${RUA}`);
  },
);

test('a subdomain that inherits its policy gets a record of its own', () => {
  const inherited = `v=DMARC1; p=reject; sp=quarantine; psd=n; ${RUA}`;
  const entries = [changed(`v=DMARC1; p=none; ${RUA}`)];
  expect(back(inherited, 'none', entries, 'example')).toBe(`v=DMARC1; p=none; sp=none; ${RUA}`);
});

test.each([null, 'no record'])('there is none to go back from %s', (text) => {
  expect(
    formerRecord({ text, policyDomain: null }, { domain: 'example.org', previous: 'none' }, []),
  ).toBeNull();
});
