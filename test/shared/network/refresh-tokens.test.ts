/** Mailboxes on a real Dovecot with tokens of a real authorization server, whose refresh tokens work once. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { updateMailboxBody } from '../../../shared/api/mailboxes.ts';
import { connectionsOver } from '../../../shared/mailboxes/connections.ts';
import type { MailboxConnections } from '../../../shared/mailboxes/open.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { createDialer } from '../../../shared/network/dialer.ts';
import { testMailbox } from '../../../shared/operations/mailboxes/test-mailbox.ts';
import { updateMailbox } from '../../../shared/operations/mailboxes/update-mailbox.ts';
import { operatorFor } from '../../../shared/operations/operation.ts';
import { Refused, readInput } from '../../../shared/operations/outcome.ts';
import { fetchedMailboxStore, mailboxSecretStore } from '../../../shared/store/fetched-mailboxes.ts';
import { rateStore } from '../../../shared/store/rates/rates.ts';
import {
  AUTHORIZATION_HOST,
  type AuthorizationServer,
  CLIENT,
  MAIL_SCOPE,
  startAuthorizationServer,
} from '../../kit/authorization-server.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { testCipher } from '../../kit/cipher.ts';
import { type Dovecot, missingForDovecot, startDovecot } from '../../kit/dovecot.ts';
import { LEASE_SECONDS, mailboxIn } from '../../kit/mailbox-runs.ts';
import type { EmptyTable } from '../../kit/table.ts';
import { use } from '../../kit/use.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';

const lacking = missingForDovecot();

(lacking === undefined ? describe : describe.skip)(
  `a mailbox with tokens of a real authorization server${lacking === undefined ? '' : ` (skipped: ${lacking})`}`,
  () => {
    let table: EmptyTable;
    let login: AuthorizationServer;
    let dovecot: Dovecot;
    let connections: MailboxConnections;

    beforeAll(async () => {
      const authority = createAuthority();
      const certificate = authority.issue([AUTHORIZATION_HOST, 'imap.test']);
      login = await use(startAuthorizationServer(certificate));
      dovecot = await use(
        startDovecot({
          ...{ users: { someone: 'password' }, certificate },
          tokenKey: login.tokenKey,
        }),
      );
      table = await useTable();
      const dialMap = new Map([
        [`${AUTHORIZATION_HOST}:443`, { address: '127.0.0.1', port: login.port }],
        ['imap.test:993', { address: '127.0.0.1', port: dovecot.tlsPort }],
      ]);
      const dialer = createDialer({ dns: zone({}), privateAddresses: 'deny', dialMap });
      connections = connectionsOver(dialer, authority.cert, systemClock);
    });

    const client = {
      tokenUrl: `https://${AUTHORIZATION_HOST}/token`,
      ...{ clientId: CLIENT.clientId, scope: MAIL_SCOPE },
    };

    async function mailboxOf(
      kind: 'oauth2-client-credentials' | 'oauth2-refresh-token',
      secret: string,
      user = 'reports',
    ) {
      const server = { source: 'imap', host: 'imap.test', port: 993, security: 'tls' } as const;
      const mailbox = await mailboxIn(
        table,
        { ...server, user, folder: 'INBOX', signIn: { kind, ...client } },
        { secret, ...(kind === 'oauth2-refresh-token' && { clientSecret: CLIENT.clientSecret }) },
        { ...connections, dns: zone({}) },
      );
      const secrets = mailboxSecretStore(table, testCipher);
      const stored = async () => {
        const item = await mailbox.state();
        return item && (await secrets.secretOf(item))?.secret;
      };
      const deps = {
        ...{ ...connections, secrets, rates: rateStore(table), clock: mailbox.clock },
        mailboxes: fetchedMailboxStore(table),
      };
      const { id, organization } = mailbox;
      const tested = async (other?: string) => {
        const outcome = await testMailbox(operatorFor(organization), { id, other }, deps);
        if (outcome instanceof Refused) throw new Error(outcome.message);
        return outcome.value;
      };
      const update = async (change: object) => {
        const input = readInput(updateMailboxBody, change);
        if (input instanceof Refused) throw new Error(input.message);
        return updateMailbox(operatorFor(organization), { id, ...input }, deps);
      };
      return { ...mailbox, stored, tested, update };
    }

    test('is opened with the secret of a client, and says whether that opens others', async () => {
      const mailbox = await mailboxOf('oauth2-client-credentials', CLIENT.clientSecret);
      expect(await mailbox.run()).toMatchObject({ status: 'read' });
      expect((await mailbox.tested()).reach?.status).toBe('unknown');
      // It is the mailbox itself.
      expect(await mailbox.tested('Reports')).toMatchObject({ messages: 0, reach: { status: 'unknown' } });
      expect(await mailbox.tested('someone')).toMatchObject({
        reach: { status: 'this-mailbox', message: 'The application does not open someone', fix: null },
      });
      const wrong = await mailboxOf('oauth2-client-credentials', 'wrong');
      expect(await wrong.tested()).toMatchObject({ error: { code: 'token-client-secret' }, reach: null });
    });

    test('is opened with refresh tokens, each of which works once', async () => {
      const first = await login.refreshTokenFor('reports');
      const mailbox = await mailboxOf('oauth2-refresh-token', first);
      const used = new Set([first]);
      for (let n = 0; n < 3; n += 1) {
        expect(await mailbox.run()).toMatchObject({ status: 'read' });
        const next = (await mailbox.stored()) ?? '';
        expect(used.has(next)).toBe(false);
        used.add(next);
      }
      expect(await mailbox.tested()).toMatchObject({ messages: 0, reach: { status: 'this-mailbox' } });
      expect(used.has((await mailbox.stored()) ?? '')).toBe(false);
      expect(await mailbox.run()).toMatchObject({ status: 'read' });
    });

    test('is not tested while a run has its refresh token', async () => {
      const mailbox = await mailboxOf('oauth2-refresh-token', await login.refreshTokenFor('reports'));
      const lease = await fetchedMailboxStore(table).claim(mailbox, mailbox.clock.now(), LEASE_SECONDS);
      expect(lease).toBeDefined();
      expect(await mailbox.tested()).toMatchObject({ messages: null, error: { code: 'in-use' } });
      mailbox.pass(LEASE_SECONDS + 1);
      expect(await mailbox.tested()).toMatchObject({ messages: 0 });
      // The test gave the mailbox back.
      expect(await mailbox.run()).toMatchObject({ status: 'read' });
    });

    test('uses a refresh token once when the mailbox is changed or read again during a run', async () => {
      const mailbox = await mailboxOf('oauth2-refresh-token', await login.refreshTokenFor('reports'));
      const { tokens } = connections;
      let during: unknown;
      const slow: MailboxConnections['tokens'] = {
        async tokenFor(grant, signal) {
          const token = await tokens.tokenFor(grant, signal);
          await mailbox.update({ name: 'Renamed' });
          during = await mailbox.run();
          return token;
        },
      };
      expect(await mailbox.run({ tokens: slow })).toEqual({ status: 'lost' });
      expect(during).toEqual({ status: 'not-due' });
      mailbox.pass(60);
      expect(await mailbox.run()).toMatchObject({ status: 'read' });
    });

    test('says that a refused change used the token', async () => {
      const mailbox = await mailboxOf('oauth2-refresh-token', await login.refreshTokenFor('reports'));
      const signIn = {
        ...{ kind: 'oauth2-refresh-token', ...client, clientSecret: CLIENT.clientSecret },
        refreshToken: await login.refreshTokenFor('reports'),
      };
      expect(await mailbox.update({ signIn, folder: 'Nowhere' })).toMatchObject({
        problems: [{ path: 'folder', message: expect.stringContaining('enter a new one') }],
      });
    });

    test('says that a token was used before, and works again with a new one', async () => {
      const first = await login.refreshTokenFor('reports');
      await (await mailboxOf('oauth2-refresh-token', first)).run();
      const mailbox = await mailboxOf('oauth2-refresh-token', first);
      expect(await mailbox.run()).toMatchObject({
        status: 'failed',
        error: { code: 'token-refresh', message: expect.stringContaining('invalid_grant') },
      });
      const signIn = {
        ...{ kind: 'oauth2-refresh-token', ...client, clientSecret: CLIENT.clientSecret },
        refreshToken: await login.refreshTokenFor('reports'),
      };
      expect(await mailbox.update({ signIn })).toMatchObject({ value: { id: mailbox.id } });
      // Trying it used the token.
      expect(await mailbox.stored()).not.toBe(signIn.refreshToken);
      // A run that had the former token could still use it.
      mailbox.pass(60);
      expect(await mailbox.run()).toMatchObject({ status: 'read' });
    });
  },
);
