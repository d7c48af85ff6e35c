import { describe, expect, test } from '@jest/globals';
import { stageOf } from '../../../shared/enforcement/stage.ts';
import { nextRecord } from '../../../shared/protocol/dmarc/next-record.ts';
import { owner } from '../../kit/report-history.ts';

describe('the next record', () => {
  const step = (text: string | null, target: 'none' | 'quarantine' | 'reject', policyDomain = owner) => [
    stageOf({ text, policyDomain }, owner),
    nextRecord({ text, policyDomain }, { domain: owner, mailbox: 'box@reports.example', target }),
  ];

  test('keeps what the step does not concern', async () => {
    expect(step('v=DMARC1; p=none; rua=mailto:a@b.example; adkim=s', 'quarantine')).toEqual([
      'monitoring',
      'v=DMARC1; p=quarantine; rua=mailto:a@b.example; adkim=s',
    ]);
    const toReject = 'v=DMARC1; p=reject; rua=mailto:a@b.example';
    for (const tags of ['p=reject; t=y', 'p=quarantine; pct=20']) {
      expect(step(`v=DMARC1; ${tags}; rua=mailto:a@b.example`, 'reject')).toEqual(['quarantine', toReject]);
    }
    expect(step('v=DMARC1; p=reject', 'reject')).toEqual(['reject', null]);
    expect(step('v=DMARC1; p=reject; sp=none', 'quarantine', 'example')).toEqual([
      'monitoring',
      'v=DMARC1; p=quarantine; rua=mailto:box@reports.example',
    ]);
  });

  test.each([
    [null, 'v=DMARC1; p=none; rua=mailto:box@reports.example'],
    ['v=DMARC1; p=none; fo=1', 'v=DMARC1; p=none; fo=1; rua=mailto:box@reports.example'],
    ['v=DMARC1; p=none; rua=box', 'v=DMARC1; p=none; rua=mailto:box@reports.example'],
  ])('asks for reports: %j', (text, next) => {
    expect(step(text, 'none')[1]).toBe(next);
  });
});
