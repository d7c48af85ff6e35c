import { expect, test } from '@jest/globals';
import { alignments } from '../../../shared/enforcement/alignment.ts';
import type { RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';

const signed: RecordSummary = {
  ...{ sourceIp: '192.0.2.1', count: 1, disposition: 'none', overrides: [], headerFrom: 'a.example' },
  ...{ dkim: 'fail', dkimDomains: ['a.example'], spf: 'fail', spfResult: 'fail', mailFrom: null },
};
const other = { ...signed, dkimDomains: ['mail.a.example'] };
const passed = { ...other, dkim: 'pass' } as const;

test.each([
  ['the result of the reporter stays in its own mode', signed, 's', 's', false],
  ['and for mail without a From domain', { ...passed, headerFrom: null }, 'r', 's', true],
  ['a subdomain passes in the relaxed mode', other, 's', 'r', true],
  ['and not in the strict mode', passed, 'r', 's', false],
  ['where nothing passes that the reporter rejected', signed, 'r', 's', false],
] as const)('%s', (_what, record, from, to, result) => {
  expect(alignments().dkim(record, from, to)).toBe(result);
});

test.each([
  ['passes if its MAIL FROM domain is aligned', 'a.example', 'a.example', true, true],
  ['fails if it is not', 'b.example', 'a.example', true, false],
  ['fails without one', null, 'a.example', true, false],
  ['fails without a From domain', 'a.example', null, true, false],
  ['fails if the record does not authorize its address', 'a.example', 'a.example', false, false],
])('under another SPF record, mail %s', (_what, mailFrom, headerFrom, passes, result) => {
  expect(alignments().spf({ ...signed, spf: 'pass', mailFrom, headerFrom }, 'r', 'r', passes)).toBe(result);
});
