/** Runs of mailboxes over fakes of Microsoft Graph and the Gmail API, with HTTPS: what is stored, moved, and found again. */
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectionsOver } from '../../../shared/mailboxes/connections.ts';
import { googleScope, type MailboxSettings } from '../../../shared/mailboxes/mailbox.ts';
import type { MailboxConnections } from '../../../shared/mailboxes/open.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { createDialer } from '../../../shared/network/dialer.ts';
import type { MailApi, MailFolder } from '../../../shared/network/folder-port.ts';
import type { Grant } from '../../../shared/network/token-port.ts';
import { fetchedMailboxStore } from '../../../shared/store/fetched-mailboxes.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { GMAIL_TOKEN, startGmail } from '../../kit/gmail-server.ts';
import { GRAPH_TOKEN, GRAPH_USER, startGraph } from '../../kit/graph-server.ts';
import { LEASE_SECONDS, mailboxIn, reportsIn, summedIn } from '../../kit/mailbox-runs.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';

const authority = createAuthority();
const certificate = authority.issue(['graph.microsoft.com', 'gmail.googleapis.com']);
const dns = zone({});

const apis = {
  graph: {
    start: startGraph,
    host: 'graph.microsoft.com:443',
    token: GRAPH_TOKEN,
    signIn: {
      kind: 'oauth2-client-credentials',
      tokenUrl: 'https://login.test/t',
      clientId: 'c',
      scope: 's',
    },
    busy: {
      status: 429,
      headers: { 'retry-after': '240' },
      body: { error: { code: 'ApplicationThrottled', message: 'Slow' } },
    },
    busySeconds: 240,
  },
  gmail: {
    start: startGmail,
    host: 'gmail.googleapis.com:443',
    token: GMAIL_TOKEN,
    signIn: { kind: 'google-service-account', tokenUrl: 'https://oauth2.test/t', clientId: 'sa@p.test' },
    busy: {
      ...{ status: 403 },
      body: { error: { code: 403, message: 'Quota', errors: [{ reason: 'userRateLimitExceeded' }] } },
    },
    busySeconds: 60,
  },
} as const;

const table = await useTable();

/** A report about the day before a time. */
const report = (id: string, at = new Date()) =>
  dmarcMail({ domain: 'example.org', id, begin: Math.floor(at.getTime() / 86_400_000 - 1) * 86_400 }).replace(
    /^Subject: .*$/m,
    `Subject: ${id}`,
  );
const other = 'From: a@b.test\r\nSubject: Lunch\r\n\r\nAt noon?\r\n';

describe.each(['graph', 'gmail'] as const)('a mailbox over the API %s', (source) => {
  const { start, host, token, signIn, busy, busySeconds } = apis[source];
  let api: Awaited<ReturnType<typeof start>>;
  let grants: Grant[];
  let connections: MailboxConnections;

  beforeEach(async () => {
    await api?.stop();
    api = await start(certificate);
    grants = [];
    const dialMap = new Map([[host, { address: '127.0.0.1', port: api.port }]]);
    const dialer = createDialer({ dns, privateAddresses: 'deny', dialMap });
    const tokenFor = async (grant: Grant) => {
      grants.push(grant);
      return { access: token };
    };
    connections = { ...connectionsOver(dialer, authority.cert, systemClock), tokens: { tokenFor } };
  });
  afterAll(async () => {
    await api.stop();
  });

  const mailboxOf = (given: Partial<Pick<MailboxSettings, 'folder' | 'after' | 'moveTo' | 'user'>> = {}) =>
    mailboxIn(
      table,
      { source, user: GRAPH_USER, folder: 'INBOX', signIn, ...given },
      { secret: 'a secret' },
      { ...connections, dns },
    );

  /** Each mail, and whether it was read. */
  const contents = (folder: string) =>
    api.shown(folder).map(([subject, isSeen]) => `${subject}${isSeen ? ' (read)' : ''}`);

  test.each([
    ['keep', { INBOX: ['Lunch', 'one'] }],
    ['mark-read', { INBOX: ['Lunch', 'one (read)'] }],
    ['move', { INBOX: ['Lunch'], 'Done/Reports': ['one'] }],
    ['delete', { INBOX: ['Lunch'] }],
  ] as const)('acknowledges what is stored, and only that: %s', async (after, expected) => {
    const mailbox = await mailboxOf({ after, moveTo: after === 'move' ? 'Done/Reports' : null });
    api.deliver('INBOX', other);
    api.deliver('INBOX', report('one'));
    expect(await mailbox.run()).toEqual({ status: 'read', read: 2, accepted: 1, remaining: 0 });
    for (const [folder, mails] of Object.entries(expected)) expect(contents(folder)).toEqual(mails);
    expect(await summedIn(table, mailbox.domain)).toBe(1);
    expect([...mailbox.raw.values()].map(String).join()).not.toContain('Lunch');
    // What is marked as read or moved is not new.
    const before = api.requests.length;
    expect(await mailbox.run()).toMatchObject({ status: 'read', read: 0, remaining: 0 });
    expect(api.requests.slice(before).filter((one) => !one.startsWith('GET'))).toEqual([]);
  });

  test('reads later what arrives later, and what is moved into the folder, whatever its age', async () => {
    const mailbox = await mailboxOf({ folder: 'Reports', after: 'mark-read' });
    api.deliver('Reports', report('first'));
    expect(await mailbox.run()).toMatchObject({ accepted: 1 });
    api.deliver('Reports', report('second'));
    const old = new Date('2021-05-01T10:00:00Z');
    api.deliver('Old', report('third', old), old);
    expect(await mailbox.run()).toMatchObject({ accepted: 1 });
    api.moveAll('Old', 'Reports');
    expect(await mailbox.run()).toMatchObject({ accepted: 1, remaining: 0 });
    expect(await summedIn(table, mailbox.domain)).toBe(3);
  });

  test('reads 210 old mails of many years while they leave the folder, and none twice', async () => {
    const mailbox = await mailboxOf({ folder: 'Old', after: 'move', moveTo: 'Done' });
    for (let n = 0; n < 210; n += 1) {
      // 130 of them in a single second.
      const at = new Date((n < 130 ? 1_700_000_000 : 1_000_000_000 + n * 3_200_000) * 1000);
      api.deliver('Old', n % 40 === 0 ? report(`r${n}`, at) : other, at);
    }
    const outcome = await mailbox.run();
    expect(outcome).toMatchObject({ status: 'read', accepted: 6, remaining: 0 });
    expect([api.shown('Done').length, api.shown('Old').length]).toEqual([6, 204]);
    expect((await reportsIn(table, mailbox.domain)).dmarc).toHaveLength(6);
    expect(await mailbox.run()).toEqual({ status: 'read', read: 0, accepted: 0, remaining: 0 });
  });

  test('starts at the beginning when the provider forgot the position, and counts nothing twice', async () => {
    const mailbox = await mailboxOf();
    api.deliver('INBOX', report('one'));
    expect(await mailbox.run()).toMatchObject({ read: 1, accepted: 1 });
    if ('forgetLinks' in api) api.forgetLinks();
    else api.forgetHistory();
    api.deliver('INBOX', report('two'));
    expect(await mailbox.run()).toMatchObject({ read: 2, accepted: 1 });
    const found = await mailbox.state();
    if (found !== undefined) await fetchedMailboxStore(table).dueNow(found, true, new Date());
    expect(await mailbox.run()).toMatchObject({ read: 2, accepted: 0 });
    expect(await summedIn(table, mailbox.domain)).toBe(2);
  });

  test('is read by a worker that dies anywhere, and by the next one', async () => {
    for (let n = 1, died = true; died; n += 1) {
      const mailbox = await mailboxOf({ folder: `Box ${n}`, after: 'delete' });
      for (const id of ['one', 'two']) api.deliver(`Box ${n}`, report(id));
      const dying = dyingAt(table, n, 'after');
      await unlessItDies(mailbox.run({ on: dying }));
      died = dying.died();
      mailbox.pass(LEASE_SECONDS + 1);
      await mailbox.run();
      expect([n, await summedIn(table, mailbox.domain), api.shown(`Box ${n}`)]).toEqual([n, 2, []]);
    }
  });

  test('loses nothing when mails are removed while it reads, and leaves out what is too large', async () => {
    const mailbox = await mailboxOf({ after: 'delete' });
    api.deliver('INBOX', report('one'));
    api.deliver('INBOX', report('two'));
    const emptied: MailApi = {
      async open(account, request) {
        const folder: MailFolder = await connections[source].open(account, request);
        return {
          ...folder,
          async *fetch(mails) {
            for await (const mail of folder.fetch(mails)) {
              api.empty('INBOX');
              yield mail;
            }
          },
        };
      },
    };
    expect(await mailbox.run({ [source]: emptied })).toMatchObject({ status: 'read', read: 2 });
    api.deliver('INBOX', `${report('large')}\r\n${'x'.repeat(41 * 1024 * 1024)}`);
    api.deliver('INBOX', `${report('medium')}\r\n${'x'.repeat(3 * 1024 * 1024)}`);
    expect(await mailbox.run()).toMatchObject({ status: 'read', read: 2, accepted: 1 });
    expect(api.shown('INBOX')).toEqual([['large', false]]);
  });

  test('waits when the provider limits it, and goes on where it was', async () => {
    const mailbox = await mailboxOf({ after: 'keep' });
    for (let n = 0; n < 60; n += 1)
      api.deliver('INBOX', n === 59 ? report('last') : other, new Date(Date.now() - (60 - n) * 10_000));
    let fetched = 0;
    api.intercept = ({ path, query }) => {
      if (path.endsWith('/$value') || query.has('format')) fetched += 1;
      return fetched > 55 ? busy : undefined;
    };
    expect(await mailbox.run()).toMatchObject({ status: 'read', remaining: 1 });
    const { gsi1sk = '', lastError, read = 0 } = (await mailbox.state()) ?? {};
    expect(lastError).toBeNull();
    expect(Date.parse(gsi1sk) - mailbox.clock.now().getTime()).toBe(busySeconds * 1000);
    expect(read).toBeGreaterThan(0);
    api.intercept = () => undefined;
    expect(await mailbox.run()).toMatchObject({ status: 'read', accepted: 1 });
    // Mails at the border of two windows of time are read twice.
    expect(((await mailbox.state())?.read ?? 0) - 60).toBeLessThan(10);
  });

  test('is read from its beginning when another folder has its name', async () => {
    const mailbox = await mailboxOf({ folder: 'Box' });
    api.deliver('Box', report('one'));
    expect(await mailbox.run()).toMatchObject({ accepted: 1 });
    api.remake('Box');
    api.deliver('Box', report('two'));
    expect(await mailbox.run()).toMatchObject({ read: 1, accepted: 1 });
    api.deliver('Box', report('three'));
    expect(await mailbox.run()).toMatchObject({ read: 1, accepted: 1 });
  });

  test('reads mails that are dated in the future, or arrive while the clock is behind', async () => {
    const mailbox = await mailboxOf();
    api.deliver('INBOX', report('ahead'), new Date(Date.now() + 3_600_000));
    expect(await mailbox.run()).toMatchObject({ read: 1, accepted: 1 });
  });

  test('asks for the least that its settings need', async () => {
    for (const after of ['keep', 'mark-read'] as const) await (await mailboxOf({ after })).run();
    expect(grants.map((grant) => grant.scope)).toEqual(
      source === 'graph'
        ? ['s', 's']
        : (['keep', 'mark-read'] as const).map((after) => googleScope({ source, after })),
    );
  });
});
