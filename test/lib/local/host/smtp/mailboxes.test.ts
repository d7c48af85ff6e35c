import { describe, expect, test } from '@jest/globals';
import { inboundMail } from '../../../../../functions/triggers.ts';
import { readSettings } from '../../../../../lib/local/host/settings.ts';
import { startInboundMail } from '../../../../../lib/local/host/smtp/index.ts';
import { createLog } from '../../../../../shared/runtime/logging/log.ts';
import { testSessionStore } from '../../../../../shared/store/test-sessions.ts';
import { smtpClient } from '../../../../kit/smtp-client.ts';
import { use } from '../../../../kit/use.ts';
import { useTable } from '../../../../kit/use-table.ts';

const HOUR = 60 * 60 * 1000;

const table = await useTable();
const listener = await use(
  startInboundMail(
    readSettings({ SMTP_PORT: '0', TESTER_DOMAIN: 'tester.example' }),
    Object.values(inboundMail),
    { table, queueUrl: () => 'http://queue.invalid/', log: createLog('silent'), certificate: undefined },
  ),
);

/** Returns the reply to RCPT for an address of the mail tester. */
async function recipient(localPart: string): Promise<string> {
  const client = await smtpClient(listener.port);
  try {
    await client.say('MAIL FROM:<a@sender.example>');
    return await client.say(`RCPT TO:<${localPart}@tester.example>`);
  } finally {
    client.close();
  }
}

describe('the address of a mail test', () => {
  const opened = async (hoursAgo: number) => {
    const { testId } = await testSessionStore(table).create(new Date(Date.now() - hoursAgo * HOUR));
    return testId;
  };

  test('accepts mail for 48 hours, in any letter case', async () => {
    expect(await recipient(await opened(47))).toMatch(/^250/);
    expect((await recipient((await opened(0)).toUpperCase())).slice(0, 3)).toBe('250');
  });

  test('rejects mail after 48 hours, even if the table still contains it', async () => {
    expect(await recipient(await opened(48.01))).toMatch(/^550/);
  });

  test.each(['a'.repeat(26), 'postmaster', 'x'])(
    'rejects mail to %s without a test session',
    async (localPart) => {
      expect(await recipient(localPart)).toMatch(/^550/);
    },
  );
});
