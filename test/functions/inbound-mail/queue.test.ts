import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler } from '../../../functions/inbound-mail/queue.ts';
import type { SendOptions } from '../../../shared/runtime/workers/queue.ts';

process.env.LOG_LEVEL = 'silent';

interface Sent extends SendOptions {
  readonly to: string;
  readonly message: object;
}

let sent: Sent[];
beforeEach(() => {
  sent = [];
});

const readerOf = (to: string) => ({
  prefix: `${to}/`,
  reader: {
    async send(message: object, options: SendOptions = {}) {
      sent.push({ to, message, ...options });
    },
  },
});

/** Announces a stored mail, and returns the IDs of the records that failed. */
async function arrive(message: object): Promise<string[]> {
  const Records = [{ messageId: 'm', body: JSON.stringify(message) }];
  const { batchItemFailures } = await handler.with([readerOf('reports'), readerOf('tester')])(
    { Records } as SQSEvent,
    {} as Context,
  );
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const notification = (objectKey: string, ...recipients: string[]) => ({
  receipt: { recipients, action: { type: 'S3', objectKey } },
  mail: { messageId: 'm1', timestamp: '2026-01-01T10:00:00Z' },
});

/** What the documentation of SendMessage permits in a MessageGroupId. */
const GROUP = /^[A-Za-z0-9!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]{1,128}$/;

async function groupOf(...recipients: string[]): Promise<string> {
  await arrive(notification('reports/m1', ...recipients));
  return sent.at(-1)?.group ?? 'none';
}

describe('a mail that arrived', () => {
  test.each(['reports', 'tester'])('is passed on to the queue of what reads %s', async (kind) => {
    expect(await arrive(notification(`${kind}/m1`, 'a@example.org'))).toEqual([]);
    const message = {
      ...{ messageId: 'm1', receivedAt: new Date('2026-01-01T10:00:00Z'), recipients: ['a@example.org'] },
      ...{ rawKey: `${kind}/m1`, verdicts: null },
    };
    expect(sent).toMatchObject([{ to: kind, message }]);
    expect(sent[0]?.delaySeconds).toBeUndefined();
  });

  test('is in the group of its mailbox, in whichever case the sender writes it', async () => {
    const group = await groupOf('a@example.org');
    expect(await groupOf('A@Example.ORG')).toBe(group);
    expect(await groupOf('a@example.org', 'b@example.org')).toBe(group);
    expect(await groupOf('b@example.org')).not.toBe(group);
  });

  test.each([
    ['the longest local part', `${'x'.repeat(300)}@example.org`],
    ['no ASCII', '✉️@example.org'],
    ['spaces', '" "@example.org'],
  ])('has a group that SQS accepts for a mailbox with %s', async (_what, mailbox) => {
    expect(await groupOf(mailbox)).toMatch(GROUP);
  });

  test('stays in the queue if nothing reads mail of its prefix', async () => {
    expect(await arrive(notification('other/m1', 'a@example.org'))).toEqual(['m']);
    expect(sent).toEqual([]);
  });

  test('is not one if SES announces a new rule', async () => {
    expect(await arrive({ mail: { messageId: 'AMAZON_SES_SETUP_NOTIFICATION' } })).toEqual([]);
    expect(sent).toEqual([]);
  });
});
