import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { exitCodeOf, formatError } from '../../lib/terminal/command-line.ts';
import { inspect as inspectDomain } from '../../lib/terminal/inspect.ts';
import { shownResults } from '../../shared/api/checks.ts';
import { runToEnd } from '../kit/service.ts';
import { useFolder } from '../kit/use.ts';

/** In the process of the test, which starts faster than the program. */
async function inspect(...args: string[]): Promise<{ code: number; output: string }> {
  try {
    return await inspectDomain(args, {}, { colour: false, width: 100 });
  } catch (error) {
    return { code: exitCodeOf(error, 64), output: String(formatError(error)) };
  }
}

describe('npm run inspect', () => {
  test('shows the checks and the score of a domain, without colors if the output is not a terminal', async () => {
    const { code, output } = await runToEnd('inspect.ts', ['good.test'], {});
    expect(code).toBe(0);
    expect(output).toContain('100 of 100');
    for (const check of ['MX', 'SPF', 'DKIM', 'DMARC', 'MTA-STS', 'TLS-RPT', 'BIMI', 'DNSSEC']) {
      expect(output).toMatch(new RegExp(`${check} +pass`));
    }
    expect(output).not.toContain('\u001b');
  });

  test.each([[['parked']], [['--usage', 'parked']]])('prints everything as JSON, with %j', async (usage) => {
    const { code, output } = await inspect('parked.test', ...usage, '--json', '--selectors=A,b');
    expect(code).toBe(0);
    const report = JSON.parse(output);
    expect(report).toMatchObject({
      domain: 'parked.test',
      usage: 'parked',
      score: { score: 100, grade: 'A' },
    });
    const named = report.results.dkimSummary.findings.filter(
      ({ id }: { id: string }) => id === 'dkim-selector-missing',
    );
    expect(named.map(({ subject }: { subject: string }) => subject)).toEqual(['a', 'b']);
    // In the format of the API, with the texts of findings.
    expect(z.parse(shownResults, report.results)).toEqual(report.results);
    expect(named[0]).toMatchObject({
      message: expect.any(String),
      cites: expect.any(String),
      fix: expect.any(String),
    });
  });

  test.each([
    ['weak.test', '80', 2],
    ['good.test', '80', 0],
    ['servfail.test', '1', 3],
  ])('of %s with --fail-under %s exits with %i', async (domain, score, code) => {
    expect((await inspect(domain, '--fail-under', score)).code).toBe(code);
  });

  test('judges a domain with a proposed zone file', async () => {
    const folder = useFolder('proposed');
    const file = join(folder, 'proposed.zone');
    writeFileSync(file, '_dmarc TXT "v=DMARC1; p=none; rua=mailto:d@weak.test"\n');
    const { code, output } = await inspect('weak.test', '--with', file, '--json');
    const { score, scoreBefore, resolved } = JSON.parse(output);
    expect(code).toBe(0);
    expect(score.score).toBeGreaterThan(scoreBefore);
    expect(resolved).toContainEqual({ check: 'dmarc', id: 'dmarc-missing-rua', severity: 'warning' });
    // More than the score before: the proposed one is judged.
    for (const [under, expected] of [
      [score.score, 0],
      [score.score + 1, 2],
    ] as const) {
      const judged = await inspect('weak.test', '--with', file, '--fail-under', String(under));
      expect([under, judged.code]).toEqual([under, expected]);
    }
    const text = await inspect('weak.test', '--with', file);
    expect(text.output).toContain(`score ${scoreBefore} -> ${score.score}`);
    writeFileSync(file, 'other.test. TXT x\n');
    const refused = await inspect('weak.test', '--with', file);
    expect(refused.output).toContain('line 1: other.test is outside of weak.test');
  });

  test.each([
    [[], "missing required argument 'domain'"],
    [['192.0.2.1'], 'it must be a domain name, not an IP address'],
    [['good.test', '--usage', 'sometimes'], 'Allowed choices are sends-and-receives'],
    [['good.test', '--fail-under', 'x'], '--fail-under must be a score'],
    [['good.test', '--fail-under', '-1'], '--fail-under must be a score from 0 to 100: -1'],
    [['good.test', 'weak.test'], "'weak.test' is invalid"],
    [['good.test', '--selectors', 's1,s 2'], '--selectors has an invalid DKIM selector: s 2'],
    // What is left of `npm run inspect good.test --fail-under 80`.
    [['good.test', '80'], "'80' is invalid"],
    [['good.test', '--unknown'], "unknown option '--unknown'"],
  ])('rejects %j with the reason in the last line', async (args, reason) => {
    const { code, output } = await inspect(...args);
    const last = output.trim().split('\n').at(-1);
    expect([code, last]).toEqual([64, expect.stringMatching(/^error: /)]);
    expect(last).toContain(reason);
  });
});
