import { describe, expect, test } from '@jest/globals';
import { evaluate } from '../../../../shared/protocol/spf/evaluate.ts';
import { parseRecord } from '../../../../shared/protocol/spf/record.ts';
import { zone } from '../../../kit/zone.ts';
import { hasCorpus, isScored, recordCases, suites } from './corpus.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

if (!hasCorpus) test.skip('skipped: no corpus', () => {});
else {
  describe.each(suites())('$file', ({ scenarios }) => {
    for (const { scenario, zone: literal, cases } of scenarios) {
      for (const suiteCase of cases) {
        const { id, host: ip, mailfrom: mailFrom, helo, receiver, expected, explanation } = suiteCase;
        const request = { ip, mailFrom, helo, now: NOW, ...(receiver === undefined ? {} : { receiver }) };
        if (isScored(suiteCase)) {
          test(`${scenario}: ${id} gives ${expected.join(' or ')}`, async () => {
            const evaluation = await evaluate(request, zone(literal));
            expect(expected).toContain(evaluation.result);
            if (explanation === undefined) return;
            expect(evaluation.explanation).toBe(explanation === 'DEFAULT' ? undefined : explanation);
          });
        } else {
          test(`${scenario}: ${id} is disputed and gives some result`, async () => {
            const { result } = await evaluate(request, zone(literal));
            expect(result).toMatch(/^(none|neutral|pass|fail|softfail|temperror|permerror)$/);
          });
        }
      }
    }
  });

  test.each(recordCases())('$id follows the grammar', ({ text, valid }) => {
    expect(parseRecord(text).problems.length === 0).toBe(valid);
  });
}
