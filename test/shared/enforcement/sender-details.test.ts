import { expect, test } from '@jest/globals';
import { senderDetails } from '../../../shared/enforcement/sender-details.ts';
import { sendersOf } from '../../../shared/enforcement/senders.ts';
import { forwarded, history, owner, report } from '../../kit/report-history.ts';

test('only the largest addresses are kept', async () => {
  const many = history(0, 0, () => [
    report(Array.from({ length: 20 }, (_, n) => forwarded({ sourceIp: `203.0.113.${n}`, count: 1 + n }))),
  ]);
  const [sender] = await sendersOf(owner, many, new Map());
  const { addresses } = senderDetails(owner, many, [sender?.id ?? '']).get(sender?.id ?? '') ?? {};
  expect(addresses?.map(({ messages }) => messages)).toEqual([20, 19, 18, 17, 16, 15, 14, 13]);
  expect(senderDetails(owner, many, [sender?.id ?? ''], 2).get(sender?.id ?? '')?.addresses).toHaveLength(2);
});
