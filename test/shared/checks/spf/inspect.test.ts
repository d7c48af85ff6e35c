import { describe, expect, test } from '@jest/globals';
import { inspectSpf } from '../../../../shared/checks/spf/inspect.ts';
import { recorded } from '../../../kit/recorded.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';
import { networkOf } from '../../protocol/findings/cases/example.ts';

const spf = (...TXT: string[]): ZoneLiteral => ({ 'example.org': { TXT } });

test.each<[string, ZoneLiteral]>([
  ['pass', spf('v=spf1 ip4:192.0.2.1 -all')],
  ['warning', spf('v=spf1 ?all')],
  ['fail', spf('v=spf1 -all', 'v=spf1 -all')],
  ['absent', { 'example.org': {} }],
  ['unknown', { 'example.org': 'TIMEOUT' }],
  ['unknown', { ...spf('v=spf1 include:_spf.google.com -all'), '_spf.google.com': 'SERVFAIL' }],
])('the state of the SPF check %s', async (_, literal) => {
  recorded(await inspectSpf('example.org', networkOf({ dns: zone(literal) })));
});

describe('the lookups for a record to recommend', () => {
  const questions = async (literal: ZoneLiteral) => {
    const dns = zone(literal);
    const result = await inspectSpf('example.org', networkOf({ dns }));
    return { result, asked: dns.questions };
  };
  const google = { MX: [[1, 'aspmx.l.google.com']] } as const;
  const around: ZoneLiteral = { '_spf.google.com': { TXT: ['v=spf1 ip4:192.0.2.0/24 ~all'] } };

  test.each([[[]], [['v=spf1']], [['v=spf1 +all']]])('are those of the mailboxes for %j', async (texts) => {
    const { asked } = await questions({ 'example.org': { ...google, TXT: texts }, ...around });
    expect(asked).toContain('_spf.google.com TXT');
  });

  test.each(['v=spf1 ~all', 'v=spf1 ip4:192.0.2.1 -all'])('are none for %s', async (text) => {
    const { asked } = await questions({ 'example.org': { ...google, TXT: [text] }, ...around });
    expect(asked).toEqual(['example.org TXT']);
  });

  test('change no result, and fail with it', async () => {
    const failing: ZoneLiteral = { '_spf.google.com': 'SERVFAIL' };
    const { result } = await questions({ 'example.org': { ...google, TXT: ['v=spf1 +all'] }, ...failing });
    expect(result).toMatchObject({ state: 'warning', valid: true, totalLookupCount: 0 });
    const unknown = await questions({ 'example.org': { MX: 'TIMEOUT', TXT: 'TIMEOUT' } });
    expect([unknown.result.state, unknown.asked]).toEqual(['unknown', ['example.org TXT']]);
  });

  test('are at most 60, whatever several records include', async () => {
    const includes = (prefix: string) =>
      `v=spf1 ${Array.from({ length: 50 }, (_, at) => `include:${prefix}${at}.example`).join(' ')} -all`;
    const targets = ['a', 'b'].flatMap((prefix) =>
      Array.from({ length: 50 }, (_, at): [string, ZoneNode] => [
        `${prefix}${at}.example`,
        {
          TXT: [
            `v=spf1 ${Array.from({ length: 9 }, (_, of) => `a:h${of}.${prefix}${at}.example`).join(' ')} -all`,
          ],
        },
      ]),
    );
    const texts = [includes('a'), includes('b')];
    const { result, asked } = await questions({
      'example.org': { TXT: texts },
      ...Object.fromEntries(targets),
    });
    expect(result.findings.map(({ id }) => id)).toContain('spf-multiple-records');
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.length).toBeLessThanOrEqual(1 + 60);
  });
});
