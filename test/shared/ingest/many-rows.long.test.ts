/** Mails that take long to read, together longer than one may take, in one batch of a mailbox. */
import { expect, test } from '@jest/globals';
import type { ImapFolder } from '../../../shared/network/imap-port.ts';
import { mailboxIn, noConnections, reportsIn } from '../../kit/mailbox-runs.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';

/** Each takes about a second, and one may take ten. */
const ROWS = 30_000;
const MAILS = 40;

const table = await useTable();

test('none takes the time of another', async () => {
  const rows = Array.from({ length: ROWS }, (_, at) => ({ count: (at % 7) + 1, result: 'pass' as const }));
  const mails = Array.from({ length: MAILS }, (_, n) =>
    Buffer.from(dmarcMail({ domain: 'example.org', id: `r${n}`, rows })),
  );
  const uids = mails.map((_, at) => at + 1);
  const mailOf = (uid: number) => {
    const content = mails[uid - 1] ?? Buffer.of();
    return { uid, size: content.length, receivedAt: new Date(), content };
  };
  const done = async () => {};
  const folder: ImapFolder = {
    ...{ path: 'INBOX', uidValidity: '1', messages: MAILS },
    uidsAfter: async (uid) => uids.filter((one) => one > uid),
    list: async (asked) => asked.map(mailOf),
    async *fetch(asked) {
      yield* asked.map(mailOf);
    },
    ...{ markRead: done, move: done, delete: done, close: done },
  };
  const signIn = { kind: 'password' } as const;
  const server = { source: 'imap', host: 'imap.test', port: 993, security: 'tls' } as const;
  const mailbox = await mailboxIn(
    table,
    { ...server, user: 'u', folder: 'INBOX', signIn },
    { secret: 'a secret' },
    { ...noConnections, imap: { open: async () => folder }, dns: zone({}) },
  );
  expect(await mailbox.run()).toMatchObject({ status: 'read', read: MAILS, accepted: MAILS });
  expect((await reportsIn(table, mailbox.domain)).dmarc).toHaveLength(MAILS);
}, 300_000);
