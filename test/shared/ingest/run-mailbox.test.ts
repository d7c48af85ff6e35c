/** Runs of mailboxes on a real Dovecot: what is stored, what happens to the mails, and what crashes leave behind. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import type { RunOutcome } from '../../../shared/ingest/run-mailbox.ts';
import type { MailboxSettings } from '../../../shared/mailboxes/mailbox.ts';
import { createDialer } from '../../../shared/network/dialer.ts';
import { FolderProblem } from '../../../shared/network/folder-port.ts';
import { createImap } from '../../../shared/network/imap.ts';
import type { Imap, ImapFolder } from '../../../shared/network/imap-port.ts';
import { TokenProblem } from '../../../shared/network/token-port.ts';
import { removeMailbox } from '../../../shared/operations/mailboxes/remove-mailbox.ts';
import { operatorFor } from '../../../shared/operations/operation.ts';
import { MAX_MESSAGE_BYTES } from '../../../shared/reports/limits.ts';
import { reportStores } from '../../../shared/runtime/dependencies/report-stores.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { fetchedMailboxStore } from '../../../shared/store/fetched-mailboxes.ts';
import { startingWith } from '../../../shared/store/query.ts';
import { changesOn, openItems } from '../../kit/attention.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { ed25519Key, signed } from '../../kit/dkim-signer.ts';
import { type Dovecot, missingForDovecot, ownerOf, startDovecot } from '../../kit/dovecot.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { LEASE_SECONDS, mailboxIn, noConnections, reportsIn, summedIn } from '../../kit/mailbox-runs.ts';
import { dmarcMail, dmarcXml, reportMail, tlsJson, yesterday } from '../../kit/report-mails.ts';
import { registerDomain } from '../../kit/reports.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';
import { zone } from '../../kit/zone.ts';

const authority = createAuthority();
const certificate = authority.issue(['imap.test']);
const PASSWORD = 'a secret that nobody sees';
const AFTER = ['keep', 'mark-read', 'move', 'delete'];
const USERS = ['what', ...AFTER, 'validity', 'crash', 'lease', 'drop', 'broken', 'fail'];
const key = ed25519Key();
const dns = zone({
  's1._domainkey.reporter.test': { TXT: [key.record] },
  '_dmarc.reporter.test': { TXT: ['v=DMARC1; p=reject'] },
});
const anything = z.record(z.string(), z.unknown());

const lacking = missingForDovecot();
const onDovecot = lacking === undefined ? describe : describe.skip;

onDovecot(`a mailbox on Dovecot${lacking === undefined ? '' : ` (skipped: ${lacking})`}`, () => {
  let table: EmptyTable;
  let dovecot: Dovecot;
  let imap: Imap;

  beforeAll(async () => {
    table = await emptyTable();
    dovecot = await startDovecot({
      users: Object.fromEntries(USERS.map((user) => [user, PASSWORD])),
      certificate,
    });
    const dialMap = new Map([['imap.test:993', { address: '127.0.0.1', port: dovecot.tlsPort }]]);
    const dialer = createDialer({ dns, privateAddresses: 'deny', dialMap });
    imap = createImap({ dialer, extraCa: authority.cert, maxMailBytes: MAX_MESSAGE_BYTES });
  });
  afterAll(async () => {
    await dovecot?.stop();
    await table?.stop();
  });

  const signedBy = (mail: string) => signed(mail, { domain: 'reporter.test', selector: 's1', key });

  async function deliver(user: string, mails: readonly string[], folder = 'INBOX') {
    const owner = await ownerOf(dovecot, user, PASSWORD);
    if (folder !== 'INBOX') await owner.mailboxCreate(folder);
    for (const mail of mails) await owner.append(folder, mail);
    await owner.logout();
  }

  /** What is in a folder: the subject of each mail, and whether it is marked as read. */
  async function shown(user: string, folder = 'INBOX'): Promise<string[]> {
    const owner = await ownerOf(dovecot, user, PASSWORD);
    await owner.mailboxOpen(folder, { readOnly: true });
    const mails = await owner.fetchAll('1:*', { envelope: true, flags: true });
    await owner.logout();
    return mails.map(({ envelope, flags }) => `${envelope?.subject}${flags?.has('\\Seen') ? ' (read)' : ''}`);
  }

  const mailboxOf = (
    user: string,
    given: Partial<Omit<MailboxSettings, 'source'>> = {},
    secret = PASSWORD,
  ) => {
    const host = { source: 'imap', host: 'imap.test', port: 993, security: 'tls' } as const;
    const settings = { ...host, user, folder: 'INBOX', signIn: { kind: 'password' } as const, ...given };
    return mailboxIn(table, settings, { secret }, { ...noConnections, imap, dns });
  };

  const reportsOf = (domain: Domain) => reportsIn(table, domain);
  const summed = (domain: Domain) => summedIn(table, domain);

  async function outcomesOf(domain: Domain) {
    const found: [string[], boolean | null][] = [];
    for await (const mail of reportStores(table, { retentionDays: 0 }).outcomes.all(domain.id))
      found.push([mail.outcomes.map(({ kind }) => kind), mail.authentication?.authenticated ?? null]);
    return found.toSorted();
  }

  const register = (organization: string, name: string) =>
    registerDomain(table, organization, name, new Date());

  test('has its reports stored for the domains that they are about, and other mail left alone', async () => {
    const { domain, organization, raw, stored, run, state } = await mailboxOf('what', {
      folder: 'reports',
      after: 'mark-read',
    });
    const second = await register(organization, 'second.example');
    const personal = 'From: a@b.test\r\nSubject: Lunch\r\n\r\nAt noon?\r\n';
    const failure = [
      'From: ruf@reporter.test\r\nSubject: Failure\r\nMIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=feedback-report; boundary="b"\r\n',
      '--b\r\nContent-Type: message/feedback-report\r\n',
      'Feedback-Type: auth-failure\r\nReported-Domain: example.org\r\n\r\n--b--\r\n',
    ].join('\r\n');
    const attached = (name: string, bytes: string | Uint8Array, type = 'application/gzip') =>
      reportMail({ attachments: [{ name, type, bytes }] });
    await deliver(
      'what',
      [
        personal,
        signedBy(dmarcMail({ domain: 'example.org', id: 'signed' })),
        dmarcMail({ domain: 'sub.example.org', id: 'subdomain' }),
        dmarcMail({ domain: 'stranger.example', id: 'foreign' }),
        attached(
          'tls.json.gz',
          gzipSync(tlsJson(['example.org', 'second.example'])),
          'application/tlsrpt+gzip',
        ),
        attached('reporter.test!example.org!1772323200!1772409599.xml.gz', gzipSync('<feedback><broken')),
        failure,
      ],
      'Reports',
    );
    expect(await run()).toEqual({ status: 'read', read: 7, accepted: 4, remaining: 0 });
    const { dmarc, tls } = await reportsOf(domain);
    expect(dmarc.map(({ report }) => report.authenticated).toSorted()).toEqual([false, true]);
    expect(tls).toHaveLength(1);
    expect((await reportsOf(second)).tls).toHaveLength(1);
    expect(stored.toSorted()).toEqual([...Array(4).fill('example.org'), 'second.example']);
    expect(await outcomesOf(domain)).toEqual([
      [['accepted'], false],
      [['accepted'], true],
      [['accepted-with-warnings'], false],
      [['unreadable'], false],
    ]);
    const everything = [...raw.values()].map(String).join();
    expect(raw.size).toBe(4);
    expect(everything).not.toContain('Lunch');
    expect(everything).not.toContain('stranger.example');
    const seen = (await shown('what', 'Reports')).map((mail) => mail.endsWith(' (read)'));
    expect(seen).toEqual([false, true, true, false, true, true, false]);
    expect(await state()).toMatchObject({ read: 7, accepted: 4, remaining: 0, lastError: null });
    // A second run has nothing to do.
    expect(await run()).toEqual({ status: 'read', read: 0, accepted: 0, remaining: 0 });
  });

  test.each([
    ['keep', { INBOX: ['Other', 'Report'] }],
    ['mark-read', { INBOX: ['Other', 'Report (read)'] }],
    ['move', { INBOX: ['Other'], 'Done/Reports': ['Report'] }],
    ['delete', { INBOX: ['Other'] }],
  ] as const)('acknowledges what is stored, and only that: %s', async (after, expected) => {
    const mailbox = await mailboxOf(after, { after, moveTo: after === 'move' ? 'Done/Reports' : null });
    const report = dmarcMail({ domain: 'example.org' }).replace(/^Subject: .*$/m, 'Subject: Report');
    await deliver(after, ['Subject: Other\r\n\r\n', report]);
    expect(await mailbox.run()).toMatchObject({ status: 'read', read: 2, accepted: 1 });
    for (const [folder, mails] of Object.entries(expected)) expect(await shown(after, folder)).toEqual(mails);
    expect(await summed(mailbox.domain)).toBe(1);
  });

  test('counts nothing twice when the folder is made anew, or read from its beginning', async () => {
    const { domain, run, state } = await mailboxOf('validity', { folder: 'Box' });
    const mails = ['one', 'two'].map((name) => dmarcMail({ domain: 'example.org', id: name }));
    await deliver('validity', mails, 'Box');
    expect(await run()).toMatchObject({ accepted: 2 });
    const before = (await state())?.position;
    const owner = await ownerOf(dovecot, 'validity', PASSWORD);
    await owner.mailboxDelete('Box');
    await owner.logout();
    await deliver('validity', [...mails, dmarcMail({ domain: 'example.org', id: 'three' })], 'Box');
    expect(await run()).toMatchObject({ status: 'read', read: 3, accepted: 1 });
    const validityOf = (at: typeof before) =>
      at !== null && at !== undefined && 'uid' in at ? at.uidValidity : undefined;
    expect(validityOf(before)).toBeDefined();
    expect(validityOf((await state())?.position)).not.toBe(validityOf(before));
    const found = await state();
    if (found !== undefined) await fetchedMailboxStore(table).dueNow(found, true, new Date());
    expect(await run()).toMatchObject({ status: 'read', read: 3, accepted: 0 });
    expect(await summed(domain)).toBe(3);
  });

  test('loses nothing and counts nothing twice, wherever a worker dies', async () => {
    let deaths = 0;
    for (let n = 1, died = true; died; n += 1) {
      for (const when of ['before', 'after'] as const) {
        const folder = `Box ${n} ${when}`;
        const mailbox = await mailboxOf('crash', { folder, after: 'delete' });
        const mails = ['one', 'two'].map((id) => dmarcMail({ domain: 'example.org', id }));
        await deliver('crash', [...mails, 'Subject: Other\r\n\r\n'], folder);
        const dying = dyingAt(table, n, when);
        await unlessItDies(mailbox.run({ on: dying }));
        died = dying.died();
        // Nobody else can read it while its worker may be alive.
        if (died && (await mailbox.state())?.lastRunAt === null)
          expect((await mailbox.run()).status).toBe(n === 1 && when === 'before' ? 'read' : 'not-due');
        mailbox.pass(LEASE_SECONDS + 1);
        await mailbox.run();
        expect([n, when, await summed(mailbox.domain), (await shown('crash', folder)).length]).toEqual([
          ...[n, when, 2, 1],
        ]);
        expect((await reportsOf(mailbox.domain)).dmarc).toHaveLength(2);
        deaths += died ? 1 : 0;
      }
    }
    // At the lease, two reports, the progress and the end, before and after each.
    expect(deaths).toBeGreaterThanOrEqual(10);
  });

  test('is read by one worker at a time, and a late one changes nothing', async () => {
    const mailbox = await mailboxOf('lease', { after: 'mark-read' });
    await deliver('lease', [dmarcMail({ domain: 'example.org' })]);
    let other: RunOutcome | undefined;
    let stolen: RunOutcome | undefined;
    const slow: Imap = {
      async open(account, request) {
        const folder = await imap.open(account, request);
        return {
          ...folder,
          async markRead(uids) {
            other = await mailbox.run();
            mailbox.pass(LEASE_SECONDS + 1);
            stolen = await mailbox.run();
            await folder.markRead(uids);
          },
        } satisfies ImapFolder;
      },
    };
    expect(await mailbox.run({ imap: slow })).toEqual({ status: 'lost' });
    expect(other).toEqual({ status: 'not-due' });
    expect(stolen).toMatchObject({ status: 'read', read: 1 });
    expect(await mailbox.state()).toMatchObject({ read: 1, lastError: null });
    expect(await summed(mailbox.domain)).toBe(1);
  });

  /** A mail so large that it is fetched alone, because the next one is as large. */
  const large = (id: string) =>
    `${dmarcMail({ domain: 'example.org', id })}\r\n${`${'x'.repeat(998)}\r\n`.repeat(5_000)}`;

  /** The same server, and what else happens before mails are fetched. */
  const fetching = (before: (uids: readonly number[]) => void): { imap: Imap } => ({
    imap: {
      async open(account, request) {
        const folder = await imap.open(account, request);
        return {
          ...folder,
          async *fetch(uids) {
            before(uids);
            yield* folder.fetch(uids);
          },
        } satisfies ImapFolder;
      },
    },
  });

  test('goes on after a connection that ended', async () => {
    const mailbox = await mailboxOf('drop');
    await deliver('drop', ['one', 'two', 'three'].map(large));
    let fetches = 0;
    const dropping = fetching(() => {
      fetches += 1;
      if (fetches === 2) dovecot.dropSessions();
    });
    expect(await mailbox.run(dropping)).toMatchObject({
      status: 'failed',
      error: { code: 'connection-lost' },
    });
    expect(await mailbox.state()).toMatchObject({ read: 1, failingSince: expect.any(String) });
    expect(mailbox.queued).toEqual([]);
    mailbox.pass(900);
    expect(await mailbox.run()).toMatchObject({ status: 'read', read: 2, remaining: 0 });
    expect(await summed(mailbox.domain)).toBe(3);
  });

  describe('with a mail that the server does not give', () => {
    const refusing = (uid: number) =>
      fetching((uids) => {
        if (uids.includes(uid)) throw new FolderProblem('server-error', 'the mail is damaged');
      });
    const failed = { status: 'failed', error: { code: 'server-error' } };

    test('tries it for a day, and then passes it over if the server gives others', async () => {
      const mailbox = await mailboxOf('broken');
      const mails = ['one', 'two', 'three'].map((id) => dmarcMail({ domain: 'example.org', id }));
      await deliver('broken', mails.slice(0, 1));
      expect(await mailbox.run(refusing(1))).toMatchObject(failed);
      expect(await mailbox.run(refusing(1))).toMatchObject(failed);
      mailbox.pass(86_400);
      // It may be the server that fails.
      expect(await mailbox.run(refusing(1))).toMatchObject(failed);
      await deliver('broken', mails.slice(1));
      expect(await mailbox.run(refusing(1))).toMatchObject({ status: 'read', read: 3, accepted: 2 });
      expect(await mailbox.state()).toMatchObject({
        ...{ failingSince: null, position: { uid: 3 }, withheld: {} },
      });
      expect(await summed(mailbox.domain)).toBe(2);
    });
  });

  test('needs a person when it has failed for a day, until it works or is removed', async () => {
    const { organization, id, run, pass, state, clock } = await mailboxOf('fail', {}, 'wrong');
    expect(await run()).toMatchObject({ status: 'failed', error: { code: 'sign-in-refused' } });
    const since = (await state())?.failingSince;
    // A provider could lock the account if it was tried more often.
    const next = new Date((await state())?.gsi1sk ?? 0).getTime() - clock.now().getTime();
    expect(next).toBe(3_600_000);
    pass(86_399);
    await run();
    expect(await openItems(table, organization)).toEqual([]);
    pass(1);
    await run();
    expect(await openItems(table, organization)).toEqual([['mailbox-failing', 'warning', 'Reports']]);
    expect((await state())?.failingSince).toBe(since);
    // The server takes any password in this run.
    const open: Imap['open'] = (account, request) =>
      imap.open({ ...account, credential: { kind: 'password', value: PASSWORD } }, request);
    expect(await run({ imap: { open } })).toMatchObject({ status: 'read' });
    expect(await openItems(table, organization)).toEqual([]);
    expect(await state()).toMatchObject({ failingSince: null, lastError: null });
    await run();
    pass(86_400);
    await run();
    expect(await openItems(table, organization)).toHaveLength(1);
    const deps = { mailboxes: fetchedMailboxStore(table), attention: changesOn(table), table, clock };
    const removed = await removeMailbox(operatorFor(organization), { id }, deps);
    expect(removed).toMatchObject({ subjects: [{ id, name: 'Reports' }] });
    expect(await openItems(table, organization)).toEqual([]);
    expect(await run()).toEqual({ status: 'not-due' });
    const left = await table.query(startingWith({ pk: `FETCHKEY#${organization}`, prefix: '' }), anything);
    expect(left).toEqual([]);
  });

  test('leaves mails alone whose reports are older than the retention period', async () => {
    const mailbox = await mailboxOf('keep', { folder: 'Old', after: 'delete' });
    const old = dmarcMail({ domain: 'example.org', id: 'old', begin: yesterday - 60 * 86_400 });
    await deliver('keep', [old, dmarcMail({ domain: 'example.org', id: 'new' })], 'Old');
    expect(await mailbox.run({ retentionDays: 30 })).toMatchObject({ read: 2, accepted: 1 });
    expect(await shown('keep', 'Old')).toHaveLength(1);
    expect(await summed(mailbox.domain)).toBe(1);
  });

  test('waits as long as an authorization server wants it to', async () => {
    const signIn = {
      kind: 'oauth2-client-credentials',
      tokenUrl: 'https://t',
      clientId: 'c',
      scope: 's',
    } as const;
    const { run, state, clock } = await mailboxOf('fail', { signIn }, 'client secret');
    const tokenFor = async () => {
      throw new TokenProblem('token-busy', 'Try later', 7_200);
    };
    expect(await run({ tokens: { tokenFor } })).toMatchObject({
      status: 'failed',
      error: { code: 'token-busy', message: 'Try later' },
    });
    expect(new Date((await state())?.gsi1sk ?? 0).getTime() - clock.now().getTime()).toBe(7_200_000);
  });

  test('reports that its password is not stored', async () => {
    const { organization, id, run } = await mailboxOf('fail');
    await table.delete({ pk: `FETCHKEY#${organization}`, sk: id });
    expect(await run()).toMatchObject({ status: 'failed', error: { code: 'secret-missing' } });
  });

  test('reads a report that is alone in a text attachment', async () => {
    const mailbox = await mailboxOf('keep', { folder: 'Plain' });
    const bytes = dmarcXml({ domain: 'example.org' });
    await deliver(
      'keep',
      [reportMail({ attachments: [{ name: 'r.xml', type: 'text/xml', bytes }] })],
      'Plain',
    );
    expect(await mailbox.run()).toMatchObject({ accepted: 1 });
  });
});
