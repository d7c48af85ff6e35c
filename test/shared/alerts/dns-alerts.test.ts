import { describe, expect, test } from '@jest/globals';
import { dnsChange } from '../../../shared/alerts/dns-alerts.ts';
import { dkimHistoryRules } from '../../../shared/protocol/findings/dkim-history.ts';
import { raiser } from '../../../shared/protocol/findings/finding.ts';
import { mxRules } from '../../../shared/protocol/findings/mx.ts';

const dangling = raiser(mxRules)('mx-dangling', { host: 'mx.gone.example', owner: 'gone.example' });

test.each([
  { recordsAdded: [], unconfirmed: false, severity: 'critical' },
  { recordsAdded: ['10 mx.gone.example'], unconfirmed: true, severity: 'critical' },
  // What is missing may be missing from the only source that could be asked.
  { recordsAdded: [], unconfirmed: true, severity: 'warning' },
])('a domain that nobody owns is critical, unless one source alone says so: $severity', (given) => {
  const { recordsAdded, unconfirmed, severity } = given;
  const change = { recordsAdded, recordsRemoved: [], faultsAdded: [dangling], faultsRemoved: [] };
  const transition = {
    before: { state: 'warning', records: [] },
    after: { state: 'warning', ...(unconfirmed && { unconfirmed }) },
  } as const;
  expect(dnsChange('example.org', 'mx', change, transition)).toMatchObject({
    severity,
    title: 'MX relies on a domain that nobody owns: example.org',
  });
});

describe('a DKIM key that was removed while it was in use', () => {
  const gone = raiser(dkimHistoryRules)('dkim-used-key-gone', { selector: 's1', day: '2026-01-02' });
  const ended = (recordsAdded: readonly string[], state: 'warning' | 'absent') =>
    dnsChange(
      'example.org',
      'dkim',
      { recordsAdded, recordsRemoved: [], faultsAdded: [], faultsRemoved: [gone] },
      { before: { state, records: [] }, after: { state } },
    );

  test.each(['warning', 'absent'] as const)('ends without a key, which the alert says: %s', (state) => {
    expect(ended([], state)).toMatchObject({
      ...{ severity: 'info', title: 'DKIM problems ended: example.org' },
      message: expect.stringMatching(/^No longer problems: Selector s1 still has no key\. Reports/),
    });
  });

  test('ends when it is back, which the alert says', () => {
    expect(ended(['s1: v=DKIM1; p=AAAA'], 'warning')).toMatchObject({
      ...{ severity: 'info', title: 'DKIM problems resolved: example.org' },
      message: 'Added: s1: v=DKIM1; p=AAAA. No longer problems: The key of selector s1 is back.',
    });
  });
});
