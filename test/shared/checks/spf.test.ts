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
