import { expect, test } from '@jest/globals';
import { senderDetails } from '../../../shared/enforcement/sender-details.ts';
import { sendersOf } from '../../../shared/enforcement/senders.ts';
import { forwarded, history, newsletter, owner, ownMail, report, spoofed } from '../../kit/report-history.ts';

const days = history(0, 1, () => [
  report([
    ownMail(),
    newsletter({ count: 20 }),
    newsletter({ count: 5, dkim: 'pass', overrides: ['mailing_list'] }),
  ]),
  report([newsletter({ sourceIp: '198.51.100.11', count: 1 }), spoofed({ sourceIp: null })], {
    reporter: null,
  }),
]);

test('the details of a sender are its addresses, reporters and override reasons, largest first', async () => {
  const senders = await sendersOf(owner, days, new Map());
  const newsletters = senders.find(({ name }) => name === 'example.net');
  const found = senderDetails(owner, days, [newsletters?.id ?? '', 'unknown']);
  expect(found.get(newsletters?.id ?? '')).toEqual({
    addresses: [
      { name: '198.51.100.10', messages: 50, passedMessages: 10 },
      { name: '198.51.100.11', messages: 2, passedMessages: 0 },
    ],
    signers: [{ name: 'news.example.net', messages: 52, passedMessages: 10 }],
    envelopes: [{ name: 'bounce.news.example.net', messages: 52, passedMessages: 10 }],
    reporters: [
      { name: 'google.com', messages: 50, passedMessages: 10 },
      { name: 'others', messages: 2, passedMessages: 0 },
    ],
    overrides: [{ name: 'mailing_list', messages: 10, passedMessages: 10 }],
  });
  expect(found.get('unknown')).toEqual({
    ...{ addresses: [], signers: [], envelopes: [], reporters: [], overrides: [] },
  });
  expect(found.size).toBe(2);
});

test('only the largest addresses are kept', async () => {
  const many = history(0, 0, () => [
    report(Array.from({ length: 20 }, (_, n) => forwarded({ sourceIp: `203.0.113.${n}`, count: 1 + n }))),
  ]);
  const [sender] = await sendersOf(owner, many, new Map());
  const { addresses } = senderDetails(owner, many, [sender?.id ?? '']).get(sender?.id ?? '') ?? {};
  expect(addresses?.map(({ messages }) => messages)).toEqual([20, 19, 18, 17, 16, 15, 14, 13]);
  expect(senderDetails(owner, many, [sender?.id ?? ''], 2).get(sender?.id ?? '')?.addresses).toHaveLength(2);
});
