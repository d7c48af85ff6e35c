import { expect, test } from '@jest/globals';
import { dnsChange } from '../../../shared/alerts/dns-alerts.ts';
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
