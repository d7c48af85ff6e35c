/** Organizations that move from one table to another, with an item of each kind that the table can hold. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../../lib/admin/command.ts';
import { openArchive } from '../../../../lib/admin/move/archive.ts';
import { secretKey } from '../../../../lib/local/stores/kms/key-file.ts';
import { localCipher } from '../../../../lib/local/stores/kms/local-cipher.ts';
import { anyItem, itemOf, keyOf, toPortable } from '../../../../shared/operations/move/portable.ts';
import { moves, owners } from '../../../../shared/operations/move/what-moves.ts';
import type { AuditEntry } from '../../../../shared/store/audit.ts';
import { entities } from '../../../../shared/store/entities.ts';
import type { Item } from '../../../../shared/store/item-schema.ts';
import * as keys from '../../../../shared/store/keys.ts';
import { presentLayout } from '../../../../shared/store/migrations/layout.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import type { Cipher } from '../../../../shared/store/secrets.ts';
import type { Table } from '../../../../shared/store/table.ts';
import { adminCommand } from '../../../kit/admin.ts';
import { dyingAt, unlessItDies } from '../../../kit/dying-table.ts';
import { type EmptyTable, emptyTable } from '../../../kit/table.ts';
import { useFolder } from '../../../kit/use.ts';

const now = new Date('2026-03-01T10:00:00Z');
const ORGANIZATION = '<organization>';
const OTHER = 'other';
const SECRET = 'https://hooks.example.org/secret';

interface Host {
  readonly table: EmptyTable;
  readonly cipher: Cipher;
  readonly mails: Map<string, Uint8Array>;
  readonly audited: string[];
  /** How many messages wait in its queues. */
  waiting: number;
}

let folder: string;
let file: string;
let from: Host;
let to: Host;
beforeEach(async () => {
  folder = useFolder('move');
  file = join(folder, 'archive');
  [from, to] = [await hostWith(1), await hostWith(2)];
  await fill(from);
});
afterEach(async () => {
  await Promise.all([from.table.stop(), to.table.stop()]);
});

const hostWith = async (key: number): Promise<Host> => ({
  table: await emptyTable(),
  cipher: localCipher(secretKey(Buffer.alloc(32, key))),
  ...{ mails: new Map(), audited: [], waiting: 0 },
});

/** What items need besides their keys, by the beginning of their kind. */
const attributes: Readonly<Record<string, Item>> = {
  'Organization with its limits': { id: ORGANIZATION, name: 'One', domainCount: 1, createdAt: 'then' },
  'Copy of each token': { member: { person: '<person>' } },
  'That a person is a member': { operator: true },
  'All organizations': { id: ORGANIZATION, name: 'One', createdAt: 'then' },
  'Domain, with': { id: '<id>', domain: '<domain>', mailbox: '<local part>', badgeToken: '<token>' },
  'Report mail:': { rawKey: 'reports/1' },
  'Notification settings': { webhook: { secretId: 'one' }, mail: { address: 'a@example.org' } },
  'Latest check results': {
    ...{ packed: Buffer.from('packed'), flag: true, nothing: null, B: 'text', 2: 'b', 10: 'a' },
    nested: [{ B: 'text', deep: { N: 1.5 } }],
  },
};

/** An item of each kind that the table can hold, and of two more organizations. */
async function fill({ table, cipher, mails }: Host): Promise<void> {
  for (const { holds, keys: forms, index } of entities)
    for (const [n, { made }] of forms.entries()) {
      const of = Object.entries(attributes).find(([beginning]) => holds.startsWith(beginning))?.[1];
      await table.put({ n, ...of, ...made, ...index?.at[n % index.at.length]?.made });
    }
  for (const purpose of ['webhook', 'mailbox <id>'] as const) {
    const context = { organization: ORGANIZATION, purpose };
    const sealed = await cipher.encrypt(Buffer.from(SECRET), context);
    await table.put({ ...keys.secretKey(context), id: 'one', sealed });
  }
  await table.put({ ...keys.deliveryKey('<delivery>') });
  await table.put({ ...keys.checksEntryKey('<id>', 'expired'), expiresAt: 1 });
  await organizationStore(table).create('Another', now, OTHER);
  mails.set('reports/1', Buffer.from('a raw message'));
}

const depsOn = (host: Host, table: Table = host.table): AdminDependencies =>
  ({
    table,
    cipher: host.cipher,
    clock: { now: () => now },
    organizations: organizationStore(table),
    progress: { show: () => undefined, end: () => undefined },
    audit: async (organization: string, entries: readonly AuditEntry[]) => {
      host.audited.push(...entries.map(({ action }) => `${action} ${organization}`));
    },
    raw: () => ({
      read: async (key: string) => host.mails.get(key),
      store: async (key: string, content: Uint8Array) => host.mails.set(key, content),
    }),
    queues: async () => ({
      client: { send: async () => ({ Attributes: { ApproximateNumberOfMessages: String(host.waiting) } }) },
      urlsOf: () => ({ queue: '', deadLetters: '' }),
    }),
  }) as unknown as AdminDependencies;

const exported = async (...options: string[]): Promise<string> =>
  (await adminCommand(['export', file, ...options])(depsOn(from))).join('\n');
const imported = async (table?: Table): Promise<string> =>
  (await adminCommand(['import', file])(depsOn(to, table))).join('\n');
const refusal = async (work: Promise<string>): Promise<string> =>
  work.then(
    () => 'it was not refused',
    (error: Error) => error.message,
  );

async function itemsOf({ client, name: TableName }: EmptyTable): Promise<Item[]> {
  const found: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) found.push(...Items);
  return found;
}

/** The items that belong to organizations and to everybody, as texts by their keys. */
async function movable({ table, cipher }: Host): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const item of await itemsOf(table)) {
    const { pk, sk } = keyOf(item);
    if (moves({ pk })) found.set(`${pk} ${sk}`, await toPortable(item, cipher));
  }
  return found;
}

/** What the first host has and an import brings: an expired item and a result of the last minute stay. */
async function expected(): Promise<Map<string, string>> {
  const all = await movable(from);
  for (const key of all.keys()) if (/ CHECKS#expired$| RECENT/.test(key)) all.delete(key);
  // What a person chose, and their browsers, are of the host.
  for (const { pk, sk } of [keys.personKey('<person>'), keys.browserKey('<person>', '<hash>')])
    all.delete(`${pk} ${sk}`);
  // Deliveries that no list names.
  all.delete(`${keys.deliveryKey('<id>').pk} DELIVERY`);
  return all;
}

const change = (sql: string) => {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
};

describe('organizations that moved', () => {
  test('have everything that they had, and a secret that the new host can read', async () => {
    expect(await exported('--secrets')).toContain('2 organizations');
    expect(await imported()).toContain('1 mail');
    expect(await movable(to)).toEqual(await expected());
    expect(to.mails).toEqual(from.mails);
    // Who operates the other host is decided there.
    const membership = await to.table.get(keys.membershipKey('<person>', ORGANIZATION), anyItem);
    expect(membership).toHaveProperty('pk');
    expect(membership).not.toHaveProperty('operator');
    const both = (action: string) => [ORGANIZATION, OTHER].map((one) => `${action} ${one}`).toSorted();
    expect([from.audited, to.audited]).toEqual([both('exportOrganization'), both('importOrganization')]);
  });

  test('are the same when they move back', async () => {
    await exported('--secrets');
    await imported();
    const sums = () => [...openArchive(file).ranges()];
    const there = sums();
    rmSync(file);
    await adminCommand(['export', file, '--secrets'])(depsOn(to));
    expect(sums()).toEqual(there);
    expect(there.length).toBeGreaterThan(15);
  });

  test('leave what belongs to the host', async () => {
    await exported('--secrets');
    await imported();
    const all = await itemsOf(to.table);
    expect(all.map((item) => keyOf(item).pk).filter((pk) => !moves({ pk }))).toEqual(['LAYOUT']);
    expect(Object.values(owners).filter((owner) => owner === 'service').length).toBeGreaterThan(4);
  });

  test('can be one of several', async () => {
    expect(await exported('--org', OTHER)).toContain('1 organization');
    await imported();
    expect([...(await movable(to)).keys()]).toEqual(expect.arrayContaining([`ORG#${OTHER} ORG`]));
    expect([...(await movable(to)).values()].join('')).not.toContain(ORGANIZATION);
    expect(await refusal(exported('--org', 'none'))).toContain('exists already');
    rmSync(file);
    expect(await refusal(exported('--org', 'none'))).toBe('organization not found: none');
  });

  test('have no webhook without its secret', async () => {
    expect(await exported()).toContain('webhooks are turned off');
    expect(readFileSync(file).includes(Buffer.from(SECRET).toString('base64'))).toBe(false);
    expect(readFileSync(file).includes(SECRET)).toBe(false);
    expect(await imported()).toContain('set the webhooks again');
    const settings = itemOf(
      [...(await movable(to))].find(([key]) => key.endsWith(' NOTIFICATION'))?.[1] ?? '',
    );
    expect(settings).toMatchObject({ mail: { address: 'a@example.org' } });
    expect(settings).not.toHaveProperty('webhook');
  });
});

describe('an export', () => {
  test('goes on where it was interrupted', async () => {
    const broken = {
      ...depsOn(from),
      raw: () => ({ read: () => Promise.reject(new Error('cut')) }),
    } as never;
    await expect(adminCommand(['export', file, '--secrets'])(broken)).rejects.toThrow('cut');
    expect(await refusal(exported())).toContain('was begun with other options');
    await exported('--secrets');
    await imported();
    expect(await movable(to)).toEqual(await expected());
  });

  test('says what it cannot contain', async () => {
    from.waiting = 1;
    from.mails.clear();
    const said = await exported();
    expect(said).toMatch(/^\d+ messages in queues are not in the archive/m);
    expect(said).toContain('1 mail is no longer stored');
  });
});

describe('an import', () => {
  test('that is interrupted at any write goes on, and repeats nothing that the service acted on', async () => {
    await exported('--secrets');
    const want = await expected();
    const pending = [...want.keys()].filter((key) => key.includes(' PENDING#'));
    expect(pending.length).toBeGreaterThan(1);
    for (const when of ['before', 'after'] as const)
      for (let n = 1, died = true; died; n += 1) {
        await to.table.stop();
        to = { ...to, table: await emptyTable() };
        const dying = dyingAt(to.table, n, when);
        await unlessItDies(imported(dying));
        died = dying.died();
        // The service sends what it finds.
        const there = await movable(to);
        const sent = pending.filter((key) => there.has(key));
        for (const key of sent) {
          const [pk = '', sk = ''] = key.split(' ');
          await to.table.delete({ pk, sk });
        }
        if (died) await imported();
        const left = await movable(to);
        expect(sent.filter((key) => left.has(key))).toEqual([]);
        for (const key of sent) left.set(key, want.get(key) ?? '');
        expect(left).toEqual(want);
        expect(await imported()).toContain('was imported before');
        expect(n).toBeLessThan(100);
      }
  });

  test('is refused where an organization with domains is', async () => {
    await exported();
    await to.table.put({
      ...keys.organizationKey(ORGANIZATION),
      ...attributes['Organization with its limits'],
    });
    const before = await movable(to);
    expect(await refusal(imported())).toBe(`the organization ${ORGANIZATION} is here already, with 1 domain`);
    expect(await movable(to)).toEqual(before);
  });

  const about = (layouts: number, version: string) =>
    `UPDATE about SET layout = ${presentLayout + layouts}, version = '${version}'`;
  const changedItem = `UPDATE items SET item = replace(item, 'One', 'Two')`;
  const ofHost = ['items', 'ranges']
    .map((one) => `UPDATE ${one} SET pk = 'LAYOUT' WHERE pk = 'ORG#other';`)
    .join(' ');

  test.each([
    ['of a later layout', about(1, '9.8.7'), /use version 9\.8\.7 or a later one$/],
    ['of an earlier layout', about(-1, '0.9.0'), /import it with version 0\.9\.0, and upgrade then$/],
    ['with a changed item', changedItem, /is damaged: ORG#<organization> is not/],
    ['without an item', `DELETE FROM items WHERE sk LIKE 'SCORE#%'`, /is damaged: DOMAIN#<id> is not/],
    ['with a changed mail', `UPDATE mails SET content = x'00'`, /is damaged: reports\/1 is not/],
    ['with what belongs to the host', ofHost, /does not belong to an organization: LAYOUT$/],
    ['that did not end', 'UPDATE about SET isComplete = 0', /is no archive/],
  ])('%s is refused before anything is written', async (_, sql, message) => {
    await exported();
    change(sql);
    expect(await refusal(imported())).toMatch(message);
    expect(await movable(to)).toEqual(new Map());
    expect(to.mails.size).toBe(0);
  });

  test('of another file is refused', async () => {
    file = join(folder, 'none');
    expect(await refusal(imported())).toContain('is no archive');
    file = new URL(import.meta.url).pathname;
    expect(await refusal(imported())).toContain('is no archive');
  });

  test('says when something else writes to the table', async () => {
    await exported();
    const { table } = to;
    const meddling: Table = {
      ...table,
      async *each(...given) {
        await table.update(keys.checksKey('<id>'), {
          UpdateExpression: 'SET n = :n',
          ExpressionAttributeValues: { ':n': 7 },
        });
        yield* table.each(...given);
      },
    };
    expect(await refusal(imported(meddling))).toContain('DOMAIN#<id> is not what the archive has');
    expect([...(await movable(to)).keys()].filter((key) => /^(?:MAILBOX|TOKEN|ORGS)/.test(key))).toEqual([]);
  });
});
