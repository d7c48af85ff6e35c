import { describe, expect, test } from '@jest/globals';
import { inspectSpf } from '../../../shared/checks/spf.ts';
import type { Network } from '../../../shared/network/ports.ts';
import { withMessages } from '../../kit/findings.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const inspect = (literal: ZoneLiteral) =>
  inspectSpf('example.org', { dns: zone(literal) } as unknown as Network).then(withMessages);

describe('the state of the SPF check', () => {
  test.each<[string, ZoneLiteral, object]>([
    [
      'pass',
      { 'example.org': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] } },
      {
        valid: true,
        record: 'v=spf1 ip4:192.0.2.1 -all',
        version: 'spf1',
        allPolicy: '-all',
        totalLookupCount: 0,
        flattenedIps: ['192.0.2.1'],
        errors: [],
        warnings: [],
        findings: [],
      },
    ],
    [
      'warning',
      { 'example.org': { TXT: ['v=spf1 ?all'] } },
      {
        valid: true,
        warnings: [
          '"?all" in the SPF record of example.org makes the result for unlisted hosts neutral: receivers treat their mail as if there were no SPF record.',
        ],
      },
    ],
    [
      'fail',
      { 'example.org': { TXT: ['v=spf1 -all', 'v=spf1 -all'] } },
      {
        valid: false,
        record: 'v=spf1 -all',
        errors: ['example.org has 2 SPF records; SPF evaluation ends in permerror.'],
      },
    ],
    [
      'absent',
      { 'example.org': {} },
      {
        valid: false,
        record: null,
        version: null,
        errors: [],
        warnings: [
          'example.org has no SPF record, so receivers cannot tell which hosts are allowed to send its mail.',
        ],
      },
    ],
    ['unknown', { 'example.org': 'TIMEOUT' }, { valid: false, record: null, errors: [], warnings: [] }],
    [
      'unknown',
      {
        'example.org': { TXT: ['v=spf1 include:_spf.google.com -all'] },
        '_spf.google.com': 'SERVFAIL',
      },
      { valid: false, errors: [], detectedProviders: ['Google Workspace'], totalLookupCount: 1 },
    ],
  ])('%s', async (state, literal, expected) => {
    expect(await inspect(literal)).toMatchObject({ state, ...expected });
  });
});

describe('the records that a merge could be made of', () => {
  const names = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => `i${from + at}.test`);
  const record = (from: number, count: number) =>
    `v=spf1 ${names(from, count)
      .map((name) => `include:${name}`)
      .join(' ')} -all`;
  const questionsFor = async (...records: readonly string[]) => {
    const included = Object.fromEntries(names(0, 400).map((name) => [name, { TXT: ['v=spf1 -all'] }]));
    const dns = zone({ 'example.org': { TXT: records }, ...included });
    await inspectSpf('example.org', { dns });
    return new Set(dns.questions.filter((question) => question.startsWith('i')));
  };

  test('are followed, three at most', async () => {
    expect(await questionsFor(record(0, 2), record(2, 2))).toEqual(
      new Set(names(0, 4).map((name) => `${name} TXT`)),
    );
    const several = [0, 1, 2, 3].map((at) => record(10 * at, 1));
    expect((await questionsFor(...several)).size).toBe(3);
  });

  test('cost at most 50 lookups each', async () => {
    const questions = await questionsFor(record(0, 100), record(100, 100));
    expect(questions.size).toBeGreaterThan(20);
    expect(questions.size).toBeLessThanOrEqual(100);
  });

  test('are not followed for a single record: its own expansion does that', async () => {
    expect((await questionsFor(record(0, 5))).size).toBe(5);
  });
});
