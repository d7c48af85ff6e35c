/** The texts of findings that depend on their arguments, and what the catalogue says about kinds of rules. */
import { expect, test } from '@jest/globals';
import {
  catalogue,
  describeFor,
  type FindingId,
  isTakeover,
  saysHowItEnded,
} from '../../../../shared/protocol/findings/catalogue.ts';
import { excerpt, excerpts } from '../../../../shared/protocol/findings/excerpt.ts';
import { type Arguments, describe, endOf, isSame } from '../../../../shared/protocol/findings/finding.ts';
import { byAnswer, type Named } from '../../../kit/answers.ts';

const term = { domain: 'example.org', term: 'a' };
const rollover = { host: 'mx', name: '_25._tcp.mx', evidence: ['seen', 'read'] };
const day = '2026-03-05';

/** Findings of one rule with arguments that change its text. */
const variants: readonly (readonly [FindingId, ...Arguments[]])[] = [
  [
    'mx-tlsa-renewal-breaks',
    { ...rollover, due: day, records: ['3 1 1'], publish: ['a', 'b'] },
    { ...rollover, due: 'any day now', records: ['3 1 1', '3 1 2'], publish: [] },
  ],
  [
    'mx-tlsa-renewal-unknown',
    { ...rollover, due: day, records: ['3 1 1'], publish: [], prepared: true },
    { ...rollover, due: 'any day now', records: ['3 1 1'], publish: [], prepared: false },
  ],
  ['mx-tlsa-mismatch', { host: 'mx', ip: '192.0.2.1' }, { host: 'mx', ip: '192.0.2.1', reason: 'why' }],
  [
    'spf-duplicate-term',
    { ...term, first: 'a' },
    { ...term, first: 'A' },
    { ...term, term: 'x=1', first: 'x=1' },
    { ...term, term: 'a:x=1.org', first: 'a:x=1.org' },
  ],
  [
    'spf-overlap',
    { ...term, range: '192.0.2.0/24', within: '192.0.2.0/24', other: 'b', otherDomain: 'b.org' },
    { ...term, range: '192.0.2.0/25', within: '192.0.2.0/24', other: 'b', otherDomain: 'b.org' },
  ],
  ['spf-lookup-unavailable', { question: 'a TXT' }, { question: 'a TXT', reason: 'timeout' }],
  ['spf-expansion-cut', { limit: 'terms' }, { limit: 'another' }],
  [
    'dkim-used-key-gone',
    { selector: 's', day },
    { selector: 's', day, messages: 1, failingUntil: day },
    { selector: 's', day, messages: 2 },
  ],
  [
    'dkim-key-shared',
    ...[4, 5].map((count) => ({ selector: 's', domains: Array<string>(count).fill('a.org') })),
  ],
  ['dkim-incomplete', { unavailable: 3, tried: 3 }, { unavailable: 2, tried: 3 }],
  ['dmarc-missing', { domain: 'a.example.org' }],
  [
    'dmarc-invalid-value',
    { tag: 'p', value: 'x', instead: 'none' },
    { tag: 'p', value: 'x', instead: 'none', policies: 'sp=reject' },
    { tag: 'aspf', value: 'x', instead: 'r' },
  ],
  ['dmarc-void-record', { tag: 'sp', value: 'bob' }, { tag: 'p', value: 'bob', policies: 'sp=reject' }],
  [
    'dmarc-weaker-subdomain-policy',
    { tag: 'np', value: 'none', policy: 'reject' },
    { tag: 'sp', value: 'none', policy: 'reject' },
  ],
  ['dmarc-testing', {}, { percentage: 0 }],
  ['dmarc-malformed-uri', { tag: 'rua', uris: [''] }, { tag: 'rua', uris: ['x', 'y'] }],
  ['dmarc-missing-rua', {}, { record: 'v=DMARC1; p=none' }],
  ['mta-sts-missing', {}, { dane: true }, { dane: false }],
  ['mta-sts-policy-without-record', {}, { mode: 'enforce' }, { mode: 'testing' }],
  ['mta-sts-policy-malformed', { line: 1, text: 'x', count: 1 }, { line: 1, text: 'x', count: 2 }],
  ['tls-rpt-missing', {}],
  ['tls-rpt-rua-missing', {}],
  [
    'dnssec-cds-pending',
    { zone: 'a', wanted: ['1', '2'], has: [] },
    { zone: 'a', wanted: ['1'], has: ['2', '3'] },
  ],
  ['bimi-logo-text', { element: 'g', line: 1, count: 1 }, { element: 'g', line: 1, count: 2 }],
];

test('the recorded texts', () => {
  const named = variants.flatMap(([id, ...all]) =>
    all.map((of): Named<readonly [FindingId, Arguments]> => [`${id} ${JSON.stringify(of)}`, [id, of]]),
  );
  const texts = ([id, of]: readonly [FindingId, Arguments]) => {
    const finding = { id, severity: 'notice', arguments: of } as const;
    const { message, fix } = describeFor({ domain: 'example.org' })(finding);
    const other = describeFor({ domain: 'example.org', mailbox: 'a@b.org' })(finding).fix;
    return [message, `Fix: ${fix}`, ...(other === fix ? [] : [`With a mailbox: ${other}`])].join('\n  ');
  };
  expect(byAnswer(named, texts)).toMatchSnapshot();
});

test('the rules of each kind', () => {
  const ids = Object.keys(catalogue);
  const having = (isKind: (id: string) => boolean) => ids.filter(isKind).join(' ');
  expect({
    alert: having((id) => catalogue[id]?.raisesAlert === true),
    takeover: having((id) => isTakeover({ id })),
    ended: having((id) => saysHowItEnded({ id })),
    failedLookup: having((id) => catalogue[id]?.failedLookup === 'check'),
    failedPart: having((id) => catalogue[id]?.failedLookup === 'part'),
    otherState: having((id) => catalogue[id]?.state !== undefined),
  }).toMatchSnapshot();
});

test('how a finding ended', () => {
  const gone = { id: 'dkim-used-key-gone', severity: 'warning', arguments: { selector: 's', day } } as const;
  expect(endOf(gone, catalogue, ['s:v=DKIM1; p=x'])).toBe('The key of selector s is back.');
  expect(endOf(gone, catalogue, ['s2:v=DKIM1; p=x', 'x'])).toMatch(/^Selector s still has no key\./);
  const unknown = { ...gone, id: 'unknown', arguments: {} };
  expect(describe(unknown, catalogue, { domain: 'a.org' })).toMatchObject({
    message: expect.stringContaining('unknown'),
    fix: 'Run the check again.',
  });
  expect([isSame(gone, gone), isSame(gone, unknown), isSame(gone, { ...gone, subject: 's' })]).toEqual([
    true,
    false,
    false,
  ]);
});

test('excerpts at their limits', () => {
  const texts = [79, 80, 81].map((length) => excerpt('x'.repeat(length)).length);
  expect([...texts, excerpt('abcdef', 3), excerpt('é\u202e')]).toEqual([
    79,
    80,
    83,
    'abc...',
    '\\u{e9}\\u{202e}',
  ]);
  const lists = [9, 10, 11, 12].map((count) => excerpts(Array<string>(count).fill('x')).slice(-2).join());
  expect(lists).toEqual(['x,x', 'x,x', 'x,1 more', 'x,2 more']);
});
