import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../lib/admin/command.ts';
import { mailboxBody, showMailbox } from '../../../shared/api/mailboxes.ts';
import { type ApiAccount, FolderProblem } from '../../../shared/network/folder-port.ts';
import type { ImapAccount } from '../../../shared/network/imap-port.ts';
import type { Grant } from '../../../shared/network/token-port.ts';
import { fetchedMailboxStore, mailboxSecretStore } from '../../../shared/store/fetched-mailboxes.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { rateStore } from '../../../shared/store/rates/rates.ts';
import { adminCommand } from '../../kit/admin.ts';
import { changesOn } from '../../kit/attention.ts';
import { auditOn } from '../../kit/audit.ts';
import { testCipher } from '../../kit/cipher.ts';
import { useFolder } from '../../kit/use.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-01T10:00:00.000Z');

let org: string;
let accounts: ImapAccount[];
let grants: Grant[];
/** The users whose mailboxes were opened over Microsoft Graph. */
let opened: string[];
let runs: object[];
let exitCode: number;
/** What the server does with the next sign-in. */
let refusal: FolderProblem | undefined;

const table = await useTable();
const folder = useFolder('mailbox-commands');
writeFileSync(join(folder, 'secret'), 'the secret\r\n');
const open = async (account: ImapAccount) => {
  accounts.push(account);
  if (refusal !== undefined) throw refusal;
  return { messages: 1234, close: async () => {} };
};
const openApi = async ({ user }: ApiAccount) => {
  opened.push(user);
  return { messages: 12, close: async () => {} };
};
const tokenFor = async (grant: Grant) => {
  grants.push(grant);
  return { access: 'a token' };
};
const deps = {
  ...{ table, organizations: organizationStore(table), rates: rateStore(table), ...auditOn(table) },
  mailboxes: fetchedMailboxStore(table),
  mailboxSecrets: mailboxSecretStore(table, testCipher),
  mailboxRuns: { send: async (run: object) => void runs.push(run) },
  mailboxConnections: async () => ({ imap: { open }, graph: { open: openApi }, tokens: { tokenFor } }),
  attention: changesOn(table),
  clock: { now: () => now },
  setExitCode(code: number) {
    exitCode = code;
  },
} as unknown as AdminDependencies;
beforeEach(async () => {
  [accounts, grants, opened, runs, exitCode, refusal] = [[], [], [], [], 0, undefined];
  ({ id: org } = await organizationStore(table).create('Org', now, randomUUID()));
});

const admin = async (...args: string[]) => (await adminCommand(['mailbox', ...args])(deps)).join('\n');
const add = (...options: string[]) =>
  admin('add', org, 'Reports', 'IMAP.example.org', 'u', '--secret-file', join(folder, 'secret'), ...options);
const only = async () => {
  const [mailbox] = await fetchedMailboxStore(table).list(org);
  if (mailbox === undefined) throw new Error('there is no mailbox');
  return mailbox;
};

describe('npm run admin -- mailbox', () => {
  test('adds a mailbox with a password, after signing in', async () => {
    expect(await admin('list', org)).toBe('');
    const output = await add('--starttls', '--after', 'move', '--move-to', 'Done', '--every', '600');
    const { id, secretId } = await only();
    expect(output).toBe(
      [
        `${id}  Reports`,
        '  u at imap.example.org:143 (starttls), folder INBOX, then move to Done, by password, every 600 seconds',
        '  0 mails read, 0 reports stored, 0 left for the next run; last run: none yet',
        'The first run starts within a minute if the service is running.',
      ].join('\n'),
    );
    expect(accounts).toEqual([
      {
        ...{ host: 'imap.example.org', port: 143, security: 'starttls', user: 'u' },
        credential: { kind: 'password', value: 'the secret' },
      },
    ]);
    expect(secretId).not.toContain('secret');
    expect(await mailboxSecretStore(table, testCipher).secretOf(await only())).toEqual({
      secret: 'the secret',
    });
  });

  test('adds a mailbox with the JSON key of a service account', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const account = { tokenUrl: 'https://login.test/token', clientId: 'reader@p.iam.gserviceaccount.com' };
    const key = { type: 'service_account', token_uri: account.tokenUrl, client_email: account.clientId };
    const file = join(folder, 'key.json');
    writeFileSync(file, JSON.stringify({ ...key, private_key: pem }, null, 2));
    await admin('add', org, 'Reports', 'imap.gmail.com', 'dmarc@example.org', '--secret-file', file);
    const signIn = { kind: 'google-service-account', ...account, scope: 'https://mail.google.com/' };
    expect(grants).toEqual([{ ...signIn, privateKey: pem, user: 'dmarc@example.org' }]);
    const added = await only();
    const { scope: _, ...stored } = signIn;
    expect(added.signIn).toEqual(stored);
    expect(await mailboxSecretStore(table, testCipher).secretOf(added)).toEqual({ secret: pem });
    expect(JSON.stringify(showMailbox(added))).not.toContain('PRIVATE');
  });

  test('adds a mailbox with access tokens', async () => {
    const tokenUrl = 'https://login.test/token';
    await add('--token-url', tokenUrl, '--client-id', 'c', '--scope', 's');
    const client = { tokenUrl, clientId: 'c', clientSecret: 'the secret', scope: 's' };
    expect(grants).toEqual([{ kind: 'oauth2-client-credentials', ...client }]);
    expect(accounts[0]?.credential).toEqual({ kind: 'token', value: 'a token' });
    expect((await only()).signIn).toEqual({
      kind: 'oauth2-client-credentials',
      tokenUrl,
      clientId: 'c',
      scope: 's',
    });
    await expect(add('--token-url', 'http://login.test/token')).rejects.toThrow(
      'signIn.tokenUrl: must be an https URL without credentials; signIn.clientId: is required with the kind oauth2-client-credentials; signIn.scope: is required',
    );
  });

  test('adds nothing that does not work or is incomplete', async () => {
    refusal = new FolderProblem('sign-in-refused', 'Wrong password');
    await expect(add()).rejects.toThrow(
      'signIn.password: does not work: Wrong password. Check the user name',
    );
    await expect(add('--port', '0')).rejects.toThrow('port: must be a whole number from 1 to 65535');
    await expect(admin('add', org, 'n', 'h.test', 'u')).rejects.toThrow(
      'set MAILBOX_SECRET, or use --secret-file',
    );
    await expect(admin('add', org, 'n', 'h.test', 'u', '--secret-file', '/nowhere')).rejects.toThrow(
      'the secret cannot be read',
    );
    await expect(admin('list', 'none')).rejects.toThrow('organization not found: none');
    expect(await fetchedMailboxStore(table).list(org)).toEqual([]);
  });

  test('tests a mailbox, and exits with 1 if it does not work', async () => {
    await add();
    const { id } = await only();
    expect([await admin('test', org, id), exitCode]).toEqual([
      'the folder has 1,234 mails\nThe password opens this account',
      0,
    ]);
    refusal = new FolderProblem('throttled', 'Too many logins');
    expect([await admin('test', org, id), exitCode]).toEqual([
      expect.stringMatching(/^throttled: Too many logins\nThe provider limits/),
      1,
    ]);
    await expect(admin('test', org, randomUUID())).rejects.toThrow('The mailbox does not exist.');
  });

  test('connects at most 60 times in an hour', async () => {
    await add();
    const { id } = await only();
    for (let n = 1; n < 60; n += 1) await admin('test', org, id);
    await expect(admin('test', org, id)).rejects.toThrow('Too many requests.');
    await expect(add()).rejects.toThrow('Too many requests.');
    expect(accounts).toHaveLength(60);
  });

  test('has a mailbox read, from its beginning on request', async () => {
    await add();
    const { id } = await only();
    const store = fetchedMailboxStore(table);
    const lease = await store.claim({ organization: org, id }, now, 60);
    if (lease === undefined) throw new Error('there is no lease');
    const position = { uidValidity: '1', uid: 9 };
    expect(await store.advance(lease, { position, read: 9, accepted: 8 })).toBe(true);
    expect(await admin('run', org, id)).toBe('Reports is read within a minute if the service is running');
    expect((await only()).position).toEqual(position);
    await admin('run', org, id, '--all');
    expect((await only()).position).toBeNull();
    // The run that was under way ends.
    expect(await store.advance(lease, { position, read: 1, accepted: 1 })).toBe(false);
    expect(runs).toEqual([
      { organization: org, id },
      { organization: org, id },
    ]);
    expect(await admin('list', org)).toContain('9 mails read, 8 reports stored');
  });

  test('adds a mailbox of Microsoft Graph with the refresh token of a user, and tries others', async () => {
    const token = join(folder, 'refresh');
    writeFileSync(token, 'a refresh token\n');
    const client = { tokenUrl: 'https://login.test/token', clientId: 'c' };
    const output = await admin(
      ...['add', org, 'M365', 'graph', 'dmarc@example.org', '--refresh-token-file', token],
      ...['--token-url', client.tokenUrl, '--client-id', client.clientId],
    );
    expect(output).toContain('dmarc@example.org at Microsoft Graph, folder INBOX');
    expect(grants).toEqual([
      { kind: 'oauth2-refresh-token', ...client, scope: '', refreshToken: 'a refresh token' },
    ]);
    const { id } = await only();
    await admin('change', org, id, '--secret-file', join(folder, 'secret'), '--refresh-token-file', token);
    expect(grants.at(-1)).toMatchObject({ clientSecret: 'the secret', tokenUrl: client.tokenUrl });
    await expect(admin('change', org, id, '--pause', '--resume')).rejects.toThrow('not both');
    await admin('remove', org, id);
    const credentials = ['--token-url', client.tokenUrl, '--client-id', 'c', '--scope', 's'];
    const file = join(folder, 'secret');
    await admin('add', org, 'M', 'graph', 'd@e.test', '--secret-file', file, ...credentials);
    const tested = await admin('test', org, (await only()).id, '--other', 'ceo@e.test');
    expect(tested).toMatch(/^the folder has 12 mails\nThe application opens ceo@e\.test, too\nLimit the/);
    expect(opened.slice(-2)).toEqual(['d@e.test', 'ceo@e.test']);
  });

  test('removes a mailbox with its secret', async () => {
    await add();
    const mailbox = await only();
    expect(await admin('remove', org, mailbox.id)).toBe('Reports is removed');
    expect(await fetchedMailboxStore(table).list(org)).toEqual([]);
    expect(await mailboxSecretStore(table, testCipher).secretOf(mailbox)).toBeUndefined();
    await expect(admin('remove', org, mailbox.id)).rejects.toThrow('The mailbox does not exist.');
  });

  test('shows since when a mailbox has failed, and why', async () => {
    await add();
    const store = fetchedMailboxStore(table);
    const lease = await store.claim(await only(), now, 60);
    if (lease === undefined) throw new Error('there is no lease');
    const error = { code: 'certificate', message: 'certificate has expired' };
    await store.finish(lease, { now, next: now, error, withheld: {} });
    expect(await admin('list', org)).toContain(
      '  failing since 2026-03-01T10:00:00.000Z\n  certificate: certificate has expired\n  The certificate of the server',
    );
  });
});

describe('a key of a service account', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const pem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));
  const whole = {
    ...{ type: 'service_account', token_uri: 'https://login.test/token', client_email: 'a@p.test' },
    private_key: pem(privateKey),
  };
  const isTaken = (serviceAccountKey: string) =>
    mailboxBody.safeParse({
      ...{ name: 'Reports', host: 'imap.gmail.com', user: 'dmarc@example.org' },
      signIn: { kind: 'google-service-account', serviceAccountKey },
    }).success;

  test.each([
    ['a whole key', whole, true],
    ['credentials of a user', { ...whole, type: 'authorized_user' }, false],
    ['an address without TLS', { ...whole, token_uri: 'http://login.test/token' }, false],
    ['no address', { ...whole, token_uri: undefined }, false],
    ['no account', { ...whole, client_email: undefined }, false],
    ['no private key', { ...whole, private_key: undefined }, false],
    ['a private key of another kind', { ...whole, private_key: pem(elliptic) }, false],
    ['no object', null, false],
  ])('with %s is taken: %s', (_what, key, taken) => {
    expect(isTaken(JSON.stringify(key))).toBe(taken);
    expect(isTaken(`${JSON.stringify(key)}}`)).toBe(false);
  });
});
