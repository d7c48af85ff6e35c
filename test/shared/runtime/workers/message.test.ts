import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { sesNotification, storedMailOf } from '../../../../shared/ingest/ses-notification.ts';
import { checkMessage } from '../../../../shared/monitoring/check-message.ts';
import {
  MalformedMessage,
  type MessageSchema,
  messageBody,
  parseMessage,
} from '../../../../shared/runtime/workers/message.ts';
import { deliveryMessage } from '../../../../shared/store/alerts/delivery.ts';
import { deletionMessage } from '../../../../shared/store/domains/deletions.ts';
import { rollUpMessage } from '../../../../shared/store/reports/day-sums.ts';

const domain = { organization: 'o', id: 'd', domain: 'example.org' };
const action = { type: 'S3', bucketName: 'b', objectKey: 'reports/1' };
const mail = { messageId: 'm', timestamp: '2026-01-05T08:00:00.000Z' };
const stored = { mail, receipt: { recipients: ['a@example.org'], action } };
const setup = { mail: { messageId: 'AMAZON_SES_SETUP_NOTIFICATION' } };

const rows: readonly [string, MessageSchema<unknown>, object, object][] = [
  ['a due domain', checkMessage, { organization: 'o', id: 'd', dueAt: 't' }, { dueAt: 1 }],
  ['a confirmation run', checkMessage, { organization: 'o', id: 'd', seenAt: 't' }, { id: null }],
  ['a deletion', deletionMessage, { domainId: 'd' }, { domainId: 7 }],
  ['a delivery', deliveryMessage, { delivery: 'v' }, { delivery: ['v'] }],
  ['a roll-up', rollUpMessage, { domain, day: '2026-01-05', earlier: false }, { earlier: 'no' }],
  ['a stored mail', sesNotification, stored, { receipt: { recipients: 'a@example.org', action } }],
];

describe.each(rows)('%s', (_, schema, message, wrong) => {
  test('is read without attributes that nobody reads', () => {
    expect(message).toMatchObject(parseMessage(JSON.stringify({ ...message, further: 1 }), schema) as object);
  });

  test('is read by the release that sent it, and if it is from before messages had a version', () => {
    const sent = parseMessage(messageBody(message), schema);
    expect(sent).toEqual(parseMessage(JSON.stringify(message), schema));
    expect(message).toMatchObject(sent as object);
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

test('the notification that SES sends when a rule is made announces no mail', () => {
  expect(storedMailOf(parseMessage(JSON.stringify(setup), sesNotification))).toBeUndefined();
  expect(storedMailOf(parseMessage(JSON.stringify(stored), sesNotification))?.rawKey).toBe('reports/1');
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
