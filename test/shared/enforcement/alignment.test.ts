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

const sent = { ...passed, mailFrom: 'mail.a.example', spf: 'pass', spfResult: 'pass' } as const;

test.each<[string, Partial<RecordSummary>, 'r' | 's', boolean | null, boolean]>([
  ['a subdomain in the relaxed mode', {}, 'r', true, true],
  ['not in the strict mode', {}, 's', true, false],
  ['not where it does not authorize', {}, 'r', false, false],
  ['not another domain', { mailFrom: 'b.example' }, 'r', true, false],
  ['not without a MAIL FROM domain', { mailFrom: null }, 'r', true, false],
  ['not without a From domain', { headerFrom: null }, 'r', true, false],
  ['as reported without another record', {}, 'r', null, true],
  ['in the strict mode only the domain itself', {}, 's', null, false],
  ['in the strict mode the domain itself', { mailFrom: 'a.example' }, 's', null, true],
])('another SPF record passes %s', (_what, given, to, passes, result) => {
  expect(alignments().spf({ ...sent, ...given }, 'r', to, passes)).toBe(result);
});

test.each<[string, Partial<RecordSummary>, boolean, boolean]>([
  ['aligned results', {}, true, true],
  ['SPF that failed', { spfResult: 'fail' }, true, false],
  ['another MAIL FROM domain', { mailFrom: 'b.example' }, true, false],
  ['no MAIL FROM domain', { mailFrom: null }, true, false],
  ['another signature', { dkimDomains: ['b.example'] }, false, true],
  ['no From domain', { headerFrom: null }, false, false],
])('the mechanisms alone pass or not: %s', (_what, given, dkim, spf) => {
  const evaluated = (adkim: 'r' | 's', aspf: 'r' | 's') =>
    alignments().evaluated({ ...sent, ...given }, { adkim, aspf });
  expect(evaluated('r', 'r')).toEqual({ dkim, spf });
  expect(evaluated('s', 's')).toEqual({ dkim: false, spf: false });
});
