/** The audit log: who did what, what changed without secrets, and its export. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { handler as list } from '../../functions/audit/list.ts';
import { changesBetween } from '../../shared/operations/changes.ts';
import { changeNotifications } from '../../shared/operations/notifications/change-notifications.ts';
import { operatorFor } from '../../shared/operations/operation.ts';
import { Refused } from '../../shared/operations/outcome.ts';
import { channelStore } from '../../shared/store/alerts/channels.ts';
import { recordAudit } from '../../shared/store/audit.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { testCipher } from '../kit/cipher.ts';
import { consoleTable, send } from '../kit/console.ts';
import { done } from '../kit/operations.ts';
import { use } from '../kit/use.ts';

const now = new Date();
let organization: string;
let authorization: string;

const table = await use(consoleTable());
beforeEach(async () => {
  const organizations = organizationStore(table);
  organization = (await organizations.create('Org', now)).id;
  const given = { name: 'ci', label: 'svc', scope: 'admin' as const };
  authorization = `Bearer ${(await organizations.createToken(organization, given, now)).token}`;
});

const entries = async () => JSON.parse((await send(list, { headers: { authorization } })).body ?? '').data;

test('an entry about a changed webhook has its host, and neither the rest of its URL nor its secret', async () => {
  const webhook = { url: 'https://hooks.example/secret-path', format: 'json' as const, events: [] };
  const deps = {
    notifications: channelStore(table, testCipher),
    ownDomains: [],
    allowPrivateAddresses: false,
  };
  const change = async (wanted: Parameters<typeof changeNotifications>[1]) => {
    const outcome = await changeNotifications(operatorFor(organization), wanted, deps);
    const { newSecret } = done(outcome);
    return { newSecret, changes: outcome instanceof Refused ? [] : outcome.subjects?.[0]?.changes };
  };
  const { newSecret, changes } = await change({ webhook: { ...webhook, threshold: 'info' } });
  expect(changes).toEqual(
    expect.arrayContaining([
      { field: 'webhook.url', before: null, after: 'https://hooks.example' },
      { field: 'webhookSecret', before: 'kept', after: 'new' },
    ]),
  );
  for (const secret of ['secret-path', String(newSecret)])
    expect(JSON.stringify(changes)).not.toContain(secret);
  expect((await change({ webhook: { ...webhook, threshold: 'critical' } })).changes).toEqual([
    { field: 'webhook.threshold', before: 'info', after: 'critical' },
  ]);
});

describe('an export', () => {
  const entry = (n: number) => ({
    ...{ at: `2026-03-0${n}T00:00:00.000Z`, action: 'updateDomain', token: null, subject: null },
    ...{ name: n === 1 ? '=1+1' : 'two', clientAddress: null },
    changes: [{ field: 'tags', before: '[]', after: '["a"]' }],
  });
  const exported = (mediaType: string, query = '') =>
    send(list, { query, headers: { authorization, accept: mediaType } });
  beforeEach(() => recordAudit(table, organization, [entry(1), entry(2)], 0));

  test('as CSV is safe to open', async () => {
    const { headers, body = '' } = await exported('text/csv');
    expect(headers?.['content-disposition']).toContain('audit.csv');
    const [head, second, first] = body.split('\r\n');
    expect(head).toBe('at,action,subject,name,actor,role,token,clientAddress,changes,id');
    expect(second).toContain('2026-03-02T00:00:00.000Z,updateDomain,,two,,,,,');
    expect(first).toContain(",'=1+1,");
  });

  test('as JSON lines has what the list has, of a period', async () => {
    const { headers, body = '' } = await exported('application/jsonl', 'since=2026-03-02T00:00:00Z');
    expect(headers?.['content-type']).toBe('application/jsonl; charset=utf-8');
    const lines = body.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([(await entries())[0]]);
  });
});

test.each([
  [{ a: 1 }, { a: 1 }, []],
  [null, { a: 'x' }, [{ field: 'a', before: null, after: 'x' }]],
  [{ a: { b: [1], c: null } }, { a: { b: [2] } }, [{ field: 'a.b', before: '[1]', after: '[2]' }]],
  [{ a: 'x' }, null, [{ field: 'a', before: 'x', after: null }]],
  [{ a: '' }, { a: 'x'.repeat(600) }, [{ field: 'a', before: '', after: `${'x'.repeat(500)}…` }]],
  [
    { a: `${'x'.repeat(600)}y` },
    { a: `${'x'.repeat(600)}zz` },
    [{ field: 'a', before: `…${'x'.repeat(50)}y`, after: `…${'x'.repeat(50)}zz` }],
  ],
])('between %j and %j', (before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes);
});
