import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';

import { handler } from '../../../functions/mail-test/receive.ts';
import { sesNotification } from '../../../shared/ingest/arrived-mail.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { observeLines } from '../../../shared/runtime/logging/metric.ts';
import { seenSelectorStore } from '../../../shared/store/check-runs/seen-selectors.ts';
import type { RawMessages } from '../../../shared/store/raw-messages.ts';
import { testSessionStore } from '../../../shared/store/test-sessions.ts';
import { rsaKey, signed } from '../../kit/dkim-signer.ts';
import { hangingMails } from '../../kit/mutated-mails.ts';
import { atEnd } from '../../kit/use.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';

process.env.LOG_LEVEL = 'silent';

const NOW = new Date('2026-01-01T10:00:00Z');
const AFTER_EXPIRY = new Date('2026-01-03T10:00:01Z');

const plain = 'From: a@example.org\r\n\r\nHello';
const key = rsaKey();
const dns = zone({ 's1._domainkey.example.org': { TXT: [key.record] } });

let now: Date;
let message: string;
let kept: Set<string>;
let read: string[];

const table = await useTable();
const sessions = testSessionStore(table);
beforeEach(() => {
  now = NOW;
  message = plain;
  kept = new Set();
  read = [];
});

const raw: RawMessages = {
  async read(key) {
    read.push(key);
    if (key.endsWith('broken')) throw new Error('S3 is down');
    return kept.has(key) ? Buffer.from(message, 'latin1') : undefined;
  },
  async remove(key) {
    kept.delete(key);
  },
};

/** Stores a message for `recipients`, announces it, and returns the IDs of the records that failed. */
async function receive(
  recipients: readonly string[],
  messageId: string,
  verdicts: Readonly<Record<string, { readonly status: string }>> = {},
  asked: Dns = dns,
): Promise<string[]> {
  const objectKey = `tester/${messageId}`;
  kept.add(objectKey);
  const notification = {
    receipt: { ...verdicts, recipients, action: { type: 'S3', bucketName: 'mail', objectKey } },
    mail: { timestamp: NOW.toISOString(), messageId, source: 'a@example.org' },
  };
  const body = JSON.stringify(sesNotification.parse(notification));
  const receiving = handler.with({
    sessions,
    selectors: seenSelectorStore(table),
    raw,
    postpone: async () => {},
    network: { dns: asked, blocklists: new Map(), domainBlocklists: [] },
    domains: ['tester.example'],
    clock: { now: () => now },
  });
  const { batchItemFailures } = await receiving(
    {
      Records: [
        {
          messageId: 'record',
          body,
          attributes: {
            ApproximateReceiveCount: '1',
            SentTimestamp: String(now.getTime()),
            ApproximateFirstReceiveTimestamp: String(now.getTime()),
          },
        },
      ],
    } as unknown as SQSEvent,
    { getRemainingTimeInMillis: () => 10_000 } as Context,
  );
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const open = async () => (await sessions.create(NOW)).testId;
const at = (testId: string) => `${testId}@tester.example`;

const outcomes: unknown[] = [];
observeLines((_name, { outcome }) => outcomes.push(outcome));
atEnd(() => observeLines(() => {}));

describe('receiving a test message', () => {
  test('completes the session and deletes the message', async () => {
    const testId = await open();
    expect(await receive([at(testId)], 'first')).toEqual([]);
    expect(await sessions.get(testId, NOW)).toMatchObject({ status: 'completed', edgeId: 'first' });
    expect([...kept]).toEqual([]);
  });

  test.each(Object.entries(hangingMails))(
    'that libraries hang on completes its session: %s',
    async (_what, text) => {
      const testId = await open();
      message = text;
      expect(await receive([at(testId)], 'first')).toEqual([]);
      expect(await sessions.get(testId, NOW)).toMatchObject({ status: 'completed', edgeId: 'first' });
    },
  );

  test('completes its session though the DNS never answers', async () => {
    const testId = await open();
    message = signed(plain, { domain: 'example.org', selector: 's1', key });
    const silent: Dns = { lookup: () => new Promise(() => {}) };
    expect(await receive([at(testId)], 'first', {}, silent)).toEqual([]);
    expect(await sessions.get(testId, NOW)).toMatchObject({ status: 'completed', edgeId: 'first' });
  });

  test('completes every session that it was sent to, whatever the case of the address', async () => {
    const both = [await open(), await open()];
    await receive([...both.map((testId) => at(testId).toUpperCase()), 'someone@elsewhere.example'], 'both');
    for (const testId of both) expect(await sessions.get(testId, NOW)).toMatchObject({ edgeId: 'both' });
    expect(read).toEqual(['tester/both']);
  });

  test('counts a second message for a session, but neither reads nor keeps it', async () => {
    const testId = await open();
    outcomes.length = 0;
    await receive([at(testId)], 'first');
    await receive([at(testId)], 'second');
    await receive([at(testId)], 'first');
    await receive([at('a'.repeat(26))], 'unknown');
    expect(outcomes.filter((one) => one !== undefined)).toEqual(['kept', 'counted', 'counted', 'dropped']);
    expect(await sessions.get(testId, NOW)).toMatchObject({ edgeId: 'first', otherMessages: 1 });
    expect(read).toEqual(['tester/first']);
    expect([...kept]).toEqual([]);
  });

  test.each([
    ['an unknown session', async () => 'a'.repeat(26)],
    [
      'an expired session',
      async () => {
        now = AFTER_EXPIRY;
        return open();
      },
    ],
  ])('deletes a message for %s unread', async (_what, make) => {
    const testId = await make();
    expect(await receive([at(testId)], 'late')).toEqual([]);
    expect(read).toEqual([]);
    expect([...kept]).toEqual([]);
    expect(await sessions.get(testId, now)).toBeUndefined();
  });

  test('keeps a message that it fails to read, and retries it', async () => {
    const testId = await open();
    expect(await receive([at(testId)], 'broken')).toEqual(['record']);
    expect([...kept]).toEqual(['tester/broken']);
    expect(await sessions.get(testId, NOW)).toMatchObject({ status: 'pending' });
  });
});

describe('DKIM selectors of a test message', () => {
  const tested = () => seenSelectorStore(table).listTested('example.org', NOW);

  test('are remembered if the signature verifies', async () => {
    const forged = { domain: 'example.org', selector: 's1', key: rsaKey() };
    message = signed(plain, forged);
    await receive([at(await open())], 'forged');
    expect(await tested()).toEqual([]);
    message = signed(plain, { ...forged, key });
    await receive([at(await open())], 'signed');
    expect(await tested()).toEqual(['s1']);
  });

  test('are not read from a message for an unknown session', async () => {
    message = signed(plain, { domain: 'example.org', selector: 's1', key });
    const before = dns.questions.length;
    await receive([at('a'.repeat(26))], 'unasked');
    expect(dns.questions).toHaveLength(before);
  });
});

describe('the verdicts of SES on a test message', () => {
  test.each([
    [
      'are stored as the second opinion',
      { spfVerdict: { status: 'PASS' }, dkimVerdict: { status: 'FAIL' }, dmarcVerdict: { status: 'GRAY' } },
      { spf: 'pass', dkim: 'fail', dmarc: null },
    ],
    [
      'give no second opinion if SES reached no verdict',
      { spfVerdict: { status: 'GRAY' }, dkimVerdict: { status: 'PROCESSING_FAILED' } },
      null,
    ],
    ['give no second opinion if they are missing', {}, null],
  ])('%s', async (_what, verdicts, secondOpinion) => {
    const testId = await open();
    await receive([at(testId)], 'judged', verdicts);
    expect(await sessions.get(testId, NOW)).toMatchObject({
      test: { results: { secondOpinion }, scoreBreakdown: expect.any(Array) },
    });
  });
});
