import { expect, test } from '@jest/globals';
import type { ReportedSender } from '../../../shared/fixes/facts.ts';
import { naming } from '../../../shared/fixes/spf-senders.ts';

const sender = (name: string, status: ReportedSender['status']): ReportedSender => ({
  ...{ name, status, kind: 'domain', spfAligned: 0 },
});
const approved = sender('a.example', 'approved');
const undecided = sender('b.example', null);

test.each([
  [
    [approved, undecided],
    'mail from a.example, which you approved, and from b.example, without a decision of yours.',
  ],
  [[approved], 'mail from a.example, which you approved.'],
  [[undecided], 'mail from b.example, without a decision of yours.'],
  [[], 'no sender.'],
])('a text names the senders %j', (senders, expected) => {
  expect(naming(senders)).toBe(`Reports of the last 30 days show ${expected}`);
  expect(naming(undefined)).toBe('');
});
