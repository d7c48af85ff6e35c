/** Reports in a mailbox on a real Dovecot: by the API, the console and commands, until they are shown as reports. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { adminInProcess } from '../kit/admin.ts';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { createAuthority } from '../kit/certificates.ts';
import { describeWith } from '../kit/describe-with.ts';
import { type Dovecot, missingForDovecot, ownerOf, startDovecot } from '../kit/dovecot.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import type { BootedService } from '../kit/service.ts';
import { foreignToken, serviceTable } from '../kit/service-table.ts';
import { until } from '../kit/until.ts';
import { use, useFolder } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const mailboxes = '/api/v1/mailboxes';
const PASSWORD = 'correct-horse-battery-staple';
const shownPassword = { kind: 'password', tokenUrl: null, clientId: null, scope: null };

describeWith(missingForDovecot(), 'reports in mailboxes', () => {
  let folder: string;
  let dovecot: Dovecot;
  let service: BootedService;
  let api: ApiClient;
  let domainId: string;

  const given = {
    ...{ name: 'Reports', host: 'imap.example', user: 'api' },
    ...{ signIn: { kind: 'password', password: PASSWORD }, after: 'mark-read' },
  };
  const environment = () => ({ DIAL_MAP: `imap.example:993=127.0.0.1:${dovecot.tlsPort}` });

  beforeAll(async () => {
    folder = useFolder('mailboxes');
    const authority = createAuthority();
    const { chain, key } = authority.issue(['imap.example']);
    dovecot = await use(
      startDovecot({
        users: { api: PASSWORD, console: PASSWORD, command: PASSWORD },
        certificate: { cert: chain, key },
      }),
    );
    writeFileSync(join(folder, 'ca.pem'), authority.cert);
    service = await useService({ EXTRA_CA_FILE: join(folder, 'ca.pem'), ...environment() });
    api = await apiClient(service);
    const domain = { domain: 'example.org', usageType: 'sends-only' };
    domainId = (await api.call('POST', '/api/v1/domains', { json: domain })).body.data.id;
  });

  async function deliver(user: string, id: string) {
    const owner = await ownerOf(dovecot, user, PASSWORD);
    await owner.append('INBOX', dmarcMail({ domain: 'example.org', id }));
    await owner.append('INBOX', 'Subject: Lunch\r\n\r\nAt noon?\r\n');
    await owner.logout();
  }

  const reportIds = async (): Promise<string[]> => {
    const { body } = await api.call('GET', `/api/v1/domains/${domainId}/reports/dmarc`);
    return body.data.reports.map((one: { reportId: string }) => one.reportId).toSorted();
  };

  const listed = async (token = service.token) => (await api.call('GET', mailboxes, { token })).body.data;

  test('are fetched after a request of the API', async () => {
    await deliver('api', 'by-api');
    const added = await api.call('POST', mailboxes, { json: given });
    expect([added.status, added.body.data]).toEqual([
      201,
      {
        ...{ id: expect.any(String), name: 'Reports', source: 'imap', host: 'imap.example' },
        ...{ port: 993, security: 'tls' },
        ...{ user: 'api', signIn: shownPassword, folder: 'INBOX', after: 'mark-read', moveTo: null },
        ...{ everySeconds: 900, createdAt: expect.any(String), state: 'ok', lastRunAt: null },
        ...{ nextRunAt: expect.any(String), lastError: null, read: 0, accepted: 0, remaining: 0 },
      },
    ]);
    const { id } = added.body.data;
    const tested = await api.call('POST', `${mailboxes}/${id}/test`);
    const reach = { status: 'this-mailbox', message: 'The password opens this account', fix: null };
    expect([tested.status, tested.body.data]).toEqual([200, { messages: 2, error: null, reach }]);
    const run = await api.call('POST', `${mailboxes}/${id}/runs`, { json: {} });
    expect([run.status, run.headers.get('location')]).toEqual([201, `${mailboxes}/${id}`]);
    expect((await api.call('GET', added.headers.get('location') ?? '')).body.data).toMatchObject({ id });
    await until(async () => (await listed())[0].lastRunAt !== null);
    expect((await listed())[0]).toMatchObject({ state: 'ok', read: 2, accepted: 1, remaining: 0 });
    expect(await reportIds()).toEqual(['by-api']);
    const mails = await api.call('GET', `/api/v1/domains/${domainId}/reports/mails`);
    expect(mails.body.data).toHaveLength(1);
    const raw = await api.call(
      'GET',
      `/api/v1/domains/${domainId}/reports/mails/${mails.body.data[0].id}/raw`,
    );
    expect(raw.body).toContain('Subject: Report Domain');
    const owner = await ownerOf(dovecot, 'api', PASSWORD);
    await owner.mailboxOpen('INBOX');
    const flags = await owner.fetchAll('1:*', { flags: true });
    await owner.logout();
    expect(flags.map((one) => one.flags?.has('\\Seen'))).toEqual([true, false]);
  });

  test('are not fetched from what does not work, and problems say what to do', async () => {
    const refused = async (change: object) => {
      const { status, body } = await api.call('POST', mailboxes, { json: { ...given, ...change } });
      return [status, body.error.details];
    };
    expect(await refused({ signIn: { kind: 'password', password: 'wrong' } })).toEqual([
      400,
      [{ path: 'body.signIn.password', message: expect.stringContaining('app password') }],
    ]);
    expect(await refused({ folder: 'Nowhere' })).toEqual([
      400,
      [{ path: 'body.folder', message: expect.stringContaining('there are INBOX') }],
    ]);
    expect(await refused({ host: '127.0.0.1' })).toEqual([
      400,
      [{ path: 'body.host', message: expect.stringContaining('private addresses') }],
    ]);
    const moving = 'is required with the value move of after, and only then';
    expect(await refused({ after: 'move' })).toEqual([400, [{ path: 'body.moveTo', message: moving }]]);
    expect(await refused({ after: 'move', moveTo: 'inbox' })).toEqual([
      400,
      [{ path: 'body.moveTo', message: 'must be another folder' }],
    ]);
    expect(await listed()).toHaveLength(1);
  });

  test('are changed in a version that is known, paused, and read again', async () => {
    const [{ id }] = await listed();
    const path = `${mailboxes}/${id}`;
    const before = await api.call('GET', path);
    const etag = before.headers.get('etag') ?? '';
    const change = (json: object, headers = {}) => api.call('PATCH', path, { json, headers });
    const paused = await change({ paused: true, name: 'Paused' }, { 'if-match': etag });
    expect([paused.status, paused.body.data]).toEqual([
      200,
      { ...before.body.data, name: 'Paused', state: 'paused', nextRunAt: null },
    ]);
    expect(paused.headers.get('etag')).not.toBe(etag);
    expect((await change({ name: 'Other' }, { 'if-match': etag })).status).toBe(412);
    expect((await api.call('DELETE', path, { headers: { 'if-match': etag } })).status).toBe(412);
    await deliver('api', 'while-paused');
    await api.call('POST', `${path}/runs`, { json: {} });
    const refused = async (json: object) => {
      const { status, body } = await change(json);
      return [status, body.error.details];
    };
    const signIn = { kind: 'password', password: 'wrong' };
    expect(await refused({ signIn })).toEqual([
      400,
      [{ path: 'body.signIn.password', message: expect.stringContaining('app password') }],
    ]);
    expect(await refused({ after: 'move' })).toEqual([
      400,
      [{ path: 'body.moveTo', message: 'is required with the value move of after, and only then' }],
    ]);
    expect((await listed())[0]).toMatchObject({ state: 'paused', accepted: 1 });
    const resumed = await change({ paused: false, signIn: { kind: 'password', password: PASSWORD } });
    expect(resumed.body.data).toMatchObject({ state: 'ok', nextRunAt: expect.any(String) });
    await api.call('POST', `${path}/runs`, { json: {} });
    await until(async () => (await reportIds()).includes('while-paused'));
  });

  test('have the sign-in that their source has', async () => {
    const refused = async (change: object) => {
      const { status, body } = await api.call('POST', mailboxes, { json: { ...given, ...change } });
      return [status, body.error.details.map((one: { path: string }) => one.path)];
    };
    const ofImap = ['body.host', 'body.signIn.kind'];
    expect(await refused({ source: 'graph' })).toEqual([400, ofImap]);
    expect(await refused({ source: 'gmail', host: undefined })).toEqual([400, ofImap.slice(1)]);
    expect(await refused({ host: undefined })).toEqual([400, ['body.host']]);
    const client = { tokenUrl: 'https://imap.example/t', clientId: 'c', scope: 's' };
    expect(await refused({ signIn: { kind: 'oauth2-refresh-token', ...client } })).toEqual([
      ...[400, ['body.signIn.refreshToken']],
    ]);
  });

  test('belong to their organization', async () => {
    const table = await serviceTable(service);
    const token = await foreignToken(table);
    await table.stop();
    expect(await listed(token)).toEqual([]);
    const [own] = await listed();
    for (const [method, path, json] of [
      ['POST', `${own.id}/test`, undefined],
      ['POST', `${own.id}/runs`, {}],
      ['DELETE', own.id, undefined],
    ] as const)
      expect((await api.call(method, `${mailboxes}/${path}`, { token, json })).status).toBe(404);
  });

  test('are fetched after a form of the console', async () => {
    await deliver('console', 'by-console');
    const signIn = await fetch(`${service.url}/console/sign-in`, {
      ...{ method: 'POST', redirect: 'manual' },
      body: new URLSearchParams({ token: service.token }),
    });
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = async (path = '/console/mailboxes') =>
      (await fetch(`${service.url}${path}`, { headers: { cookie } })).text();
    const formToken = /name="formToken" value="([\w-]{43})"/.exec(await page())?.[1] ?? '';
    const post = (path: string, fields: Readonly<Record<string, string>>) =>
      fetch(`${service.url}${path}`, {
        ...{ method: 'POST', headers: { cookie }, redirect: 'manual' },
        body: new URLSearchParams({ formToken, ...fields }),
      });
    const fields = {
      ...{ provider: 'imap', tokenUrl: '', clientId: '', scope: '' },
      ...{ name: 'Console', host: 'imap.example', security: 'tls', port: '', user: 'console' },
      ...{ secret: PASSWORD, folder: 'INBOX', after: 'move', moveTo: 'Done', everyMinutes: '15' },
    };
    const refused = await post('/console/mailboxes', { ...fields, secret: 'wrong' });
    const text = await page(refused.headers.get('location') ?? '');
    expect([refused.status, text.includes('The password or secret does not work')]).toEqual([303, true]);
    expect(text).toContain('value="imap.example"');
    expect(text).not.toContain('value="wrong"');
    const added = await post('/console/mailboxes', fields);
    expect([added.status, added.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/console\/mailboxes\?flash=[\w-]+$/),
    ]);
    const { id } = (await listed()).find(({ name }: { name: string }) => name === 'Console');
    expect((await post('/console/mailboxes/run', { id })).status).toBe(303);
    await until(async () => (await reportIds()).includes('by-console'));
    await until(async () => /Reports stored<\/dt><dd>1</.test((await page()).split(`id="${id}"`)[1] ?? ''));
    const one = `/console/mailboxes/${id}`;
    const said = async (response: Response) => page(response.headers.get('location') ?? '');
    const reading = { folder: 'Done', after: 'keep', moveTo: '', everyMinutes: '30', name: 'Renamed' };
    const wrong = await said(await post(one, { ...reading, secret: 'wrong' }));
    expect(wrong).toContain('The password or secret does not work');
    expect(await said(await post(one, { paused: 'yes' }))).toContain('The mailbox is paused.');
    expect(await said(await post(one, { ...reading, secret: PASSWORD }))).toContain('Renamed');
    expect((await listed()).find((other: { id: string }) => other.id === id)).toMatchObject({
      ...{
        name: 'Renamed',
        folder: 'Done',
        after: 'keep',
        moveTo: null,
        everySeconds: 1800,
        state: 'paused',
      },
    });
    expect((await post('/console/mailboxes/remove', { id })).status).toBe(303);
    expect(await page()).not.toContain(id);
  });

  test('are fetched after commands', async () => {
    await deliver('command', 'by-command');
    const file = join(folder, 'password');
    writeFileSync(file, `${PASSWORD}\n`, { mode: 0o600 });
    const run = (...args: string[]) =>
      adminInProcess(args, {
        ...{ DATA_DIR: service.dataDir, EXTRA_CA_FILE: join(folder, 'ca.pem') },
        ...environment(),
      });
    const added = await run(
      ...['mailbox', 'add', 'default', 'By command', 'imap.example', 'command'],
      ...['--secret-file', file, '--after', 'delete', '--every', '600'],
    );
    expect(added).toMatchObject({
      code: 0,
      output: expect.stringContaining(
        'command at imap.example:993 (tls), folder INBOX, then delete, by password, every 600 seconds',
      ),
    });
    const id = added.output.slice(0, 36);
    expect(await run('mailbox', 'test', 'default', id)).toEqual({
      code: 0,
      output: 'the folder has 2 mails\nThe password opens this account\n',
    });
    const changed = await run('mailbox', 'change', 'default', id, '--every', '900', '--pause');
    expect(changed.output).toContain('then delete, by password, every 900 seconds, paused');
    const resumed = await run('mailbox', 'change', 'default', id, '--resume', '--secret-file', file);
    expect(resumed).toMatchObject({ code: 0, output: expect.not.stringContaining('paused') });
    expect(await run('mailbox', 'run', 'default', id, '--all')).toMatchObject({ code: 0 });
    await until(async () => (await reportIds()).includes('by-command'));
    expect(await run('mailbox', 'remove', 'default', id)).toEqual({
      code: 0,
      output: 'By command is removed\n',
    });
    expect((await run('mailbox', 'test', 'default', id)).output).toContain('The mailbox does not exist');
  });

  test('leave no password in responses, items, the audit log or the log', async () => {
    const { body } = await api.call('GET', '/api/v1/audit');
    const names = body.data.map((one: { action: string }) => one.action);
    for (const name of ['addMailbox', 'runMailbox', 'removeMailbox']) expect(names).toContain(name);
    const files = readdirSync(service.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    expect(files.some((text) => text.includes('imap.example'))).toBe(true);
    for (const text of [...files, JSON.stringify(body), JSON.stringify(await listed()), service.output()])
      expect(text).not.toContain(PASSWORD);
  });

  test('end with the mailbox', async () => {
    const [{ id }] = await listed();
    const removed = await api.call('DELETE', `${mailboxes}/${id}`);
    expect([removed.status, removed.body.data]).toEqual([200, { deleted: true }]);
    expect(await listed()).toEqual([]);
    expect((await api.call('DELETE', `${mailboxes}/${id}`)).status).toBe(404);
    expect((await reportIds()).length).toBe(4);
  });
});
