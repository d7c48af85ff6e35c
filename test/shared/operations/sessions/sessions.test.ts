/** Who can start and end which sessions, as outcomes: the pages around them are in `functions/console-sessions`. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { operatorFor } from '../../../../shared/operations/operation.ts';
import { Refused } from '../../../../shared/operations/outcome.ts';
import { endSessions } from '../../../../shared/operations/sessions/end-sessions.ts';
import { signIn } from '../../../../shared/operations/sessions/sign-in.ts';
import { memberStore } from '../../../../shared/store/members.ts';
import { type NewToken, organizationStore } from '../../../../shared/store/organizations.ts';
import { sessionStore } from '../../../../shared/store/sessions.ts';
import { callerWith, done } from '../../../kit/operations.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-01T06:00:00Z');

let organization: string;
const table = await useTable({ now: () => now });
const sessions = sessionStore(table);
beforeEach(async () => {
  organization = (await organizationStore(table).create('Org', now)).id;
});

const issue = (given: Partial<NewToken> = {}) =>
  organizationStore(table).createToken(organization, { name: 'mine', label: 'svc', ...given }, now);
const ids = async () => (await sessions.list(organization, undefined, now)).map(({ id }) => id);

describe('signing in', () => {
  const from = (clientAddress: string) => ({ clientAddress, userAgent: 'Browser' });
  const deps = () => ({ tokens: table, sessions, clock: { now: () => now } });

  test('starts a session of the token, from where the token can be used', async () => {
    const { token } = await issue({ networks: ['192.0.2.0/24'] });
    const refused = await signIn({ token }, from('198.51.100.1'), deps());
    expect(refused).toMatchObject(
      Object.assign(new Refused('forbidden', 'The API token cannot be used from your address.'), {
        problems: [{ path: 'address' }],
      }),
    );
    expect(await ids()).toEqual([]);
    expect(done(await signIn({ token: ` ${token} ` }, from('192.0.2.1'), deps()))).toContain(organization);
    expect(await ids()).toHaveLength(1);
  });

  test('takes a link once, and no unknown token', async () => {
    const link = await sessions.createLink((await issue()).info, now);
    done(await signIn({ link }, from('192.0.2.1'), deps()));
    for (const [credential, reason] of [
      [{ link }, /^The link was used already/],
      [{ token: 'svc_x' }, /^The API token is unknown/],
      [{}, /^The API token is unknown/],
    ] as const) {
      const refused = await signIn(credential, from('192.0.2.1'), deps());
      expect(refused).toMatchObject({ code: 'forbidden', message: expect.stringMatching(reason) });
    }
    expect(await ids()).toHaveLength(1);
  });
});

describe('ending', () => {
  test('reaches all sessions for an operator, and the own ones for a token that does not administer', async () => {
    const { info } = await issue({ scope: 'write', name: 'writer' });
    await sessions.start((await issue()).info, 'Browser', now);
    const [other = ''] = await ids();
    const foreign = await endSessions(
      callerWith(info),
      { id: other },
      { sessions, members: memberStore(table) },
    );
    expect(foreign).toEqual(new Refused('not_found', 'Your token has no such session.'));
    const own = await endSessions(callerWith(info), { id: 'all' }, { sessions, members: memberStore(table) });
    expect(own).toMatchObject({ subjects: [{ id: null, name: 'writer' }] });
    expect(await ids()).toEqual([other]);
    const all = await endSessions(
      operatorFor(organization),
      { id: 'all' },
      { sessions, members: memberStore(table) },
    );
    expect(all).toMatchObject({ subjects: [{ id: null, name: 'all sessions' }] });
    expect(await ids()).toEqual([]);
  });
});
