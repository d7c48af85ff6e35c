import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { arrivedMail, sesNotification } from '../../../../shared/ingest/arrived-mail.ts';
import { checkMessage } from '../../../../shared/monitoring/check-message.ts';
import {
  MalformedMessage,
  type MessageSchema,
  messageBody,
  parseMessage,
} from '../../../../shared/runtime/workers/message.ts';
import { deliveryMessage } from '../../../../shared/store/alerts/delivery.ts';
import { deletionMessage } from '../../../../shared/store/domains/deletions.ts';
import { rollUpMessage } from '../../../../shared/store/reports/days.ts';

const domain = { organization: 'o', id: 'd', domain: 'example.org' };
const action = { type: 'S3', bucketName: 'b', objectKey: 'reports/1' };
const mail = { messageId: 'm', timestamp: '2026-01-05T08:00:00.000Z' };
const announced = {
  mail,
  receipt: { recipients: ['a@example.org'], action, spfVerdict: { status: 'PASS' } },
};
const arrived = {
  ...{ messageId: 'm', receivedAt: '2026-01-05T08:00:00.000Z', recipients: ['a@example.org'] },
  ...{ rawKey: 'reports/1', verdicts: { spf: 'pass', dkim: null, dmarc: null } },
};
const setup = { mail: { messageId: 'AMAZON_SES_SETUP_NOTIFICATION' } };

const rows: readonly [string, MessageSchema<unknown>, object, object][] = [
  ['a due domain', checkMessage, { organization: 'o', id: 'd', dueAt: 't' }, { dueAt: 1 }],
  ['a confirmation run', checkMessage, { organization: 'o', id: 'd', seenAt: 't' }, { id: null }],
  ['a deletion', deletionMessage, { domainId: 'd' }, { domainId: 7 }],
  ['a delivery', deliveryMessage, { delivery: 'v' }, { delivery: ['v'] }],
  [
    'a roll-up',
    rollUpMessage,
    { domain, kind: 'DMARC', day: '2026-01-05', earlier: false },
    { earlier: 'no' },
  ],
  ['a stored mail', arrivedMail, arrived, { recipients: 'a@example.org' }],
];

describe.each(rows)('%s', (_, schema, message, wrong) => {
  test('is read without attributes that nobody reads', () => {
    const parsed = parseMessage(JSON.stringify({ ...message, further: 1 }), schema);
    expect(message).toMatchObject(JSON.parse(JSON.stringify(parsed)));
  });

  test('is read by the release that sent it, and if it is from before messages had a version', () => {
    const sent = parseMessage(messageBody(message), schema);
    expect(sent).toEqual(parseMessage(JSON.stringify(message), schema));
    expect(message).toMatchObject(JSON.parse(JSON.stringify(sent)));
  });

  test('of a later release returns to the queue, and the reason says what to do', () => {
    const { messageVersion } = JSON.parse(messageBody(message));
    const reading = () =>
      parseMessage(JSON.stringify({ ...message, messageVersion: messageVersion + 1 }), schema);
    expect(reading).toThrow(MalformedMessage);
    expect(reading).toThrow('deploy the release that sent it');
  });

  test('that is damaged is refused, by name', () => {
    for (const damaged of [{ ...message, ...wrong }, {}, null, [message]])
      expect(() => parseMessage(JSON.stringify(damaged), schema)).toThrow('does not match its schema');
  });
});

test('a notification of SES announces a stored mail, but none if a rule is made', () => {
  const read = (message: object) => parseMessage(JSON.stringify(message), sesNotification);
  expect(JSON.parse(JSON.stringify(read(announced)))).toEqual({ ...arrived, bucket: 'b' });
  expect(read(setup)).toBeNull();
  const damaged = { ...announced, receipt: { ...announced.receipt, recipients: 'a@example.org' } };
  expect(() => read(damaged)).toThrow('does not match its schema');
});

test('the reason names the place, and no values', () => {
  const schema = z.object({ of: z.object({ count: z.number() }) });
  const reason = (body: string) => {
    try {
      return parseMessage(body, schema);
    } catch (error) {
      return String(error);
    }
  };
  expect(reason('{"of":{"count":"s3cret"}}')).toMatch(/^MalformedMessage: .* schema: of\.count: /);
  expect(reason('{"of":{"count":"s3cret"}}')).not.toContain('s3cret');
  expect(reason('s3cret')).toBe('MalformedMessage: the message is not JSON');
});
