import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { seenSelectorStore } from '../../../../shared/store/check-runs/seen-selectors.ts';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { testedSelectorsKey } from '../../../../shared/store/keys.ts';
import { rememberSelectors } from '../../../kit/alongside.ts';
import { itemsOf, registeredDomain } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

let domain: Domain;
const table = await useTable();
const store = seenSelectorStore(table);
beforeEach(async () => {
  domain = await registeredDomain(table);
});

describe('selectors seen in reports', () => {
  test('are listed with the day on which they were last seen', async () => {
    await rememberSelectors(table, domain, new Set(['old', 'both']), '2026-01-01');
    await rememberSelectors(table, domain, new Set(['new', 'both']), '2026-01-03');
    await rememberSelectors(table, domain, new Set(['both', 'old']), '2026-01-02');
    expect(await store.list(domain.id)).toEqual(['both', 'new', 'old']);
  });

  test('are limited to the last 20', async () => {
    for (let day = 5; day < 30; day += 1) {
      const date = `2026-01-${String(day).padStart(2, '0')}`;
      await rememberSelectors(table, domain, new Set([`s${day}`]), date);
    }
    const listed = await store.list(domain.id);
    expect([listed.length, listed[0], listed.at(-1)]).toEqual([20, 's29', 's10']);
  });

  test('of the week before can wait for the next report; others cannot', async () => {
    const remember = async (name: string, day: string) => {
      const part = store.alongsideReports(domain, new Map([[name, day]]), { mayWait: () => true });
      const writes = part.writes(await table.getMany(part.reads));
      if (writes.length > 0) await table.transact(writes);
      return writes.length;
    };
    expect(await remember('a', '2026-01-01')).toBe(1);
    expect(await remember('a', '2026-01-08')).toBe(0);
    expect(await remember('b', '2026-01-08')).toBe(1);
    expect(await remember('a', '2026-01-09')).toBe(1);
    expect(await store.list(domain.id)).toEqual(['a', 'b']);
  });

  test('of concurrent reports are all stored', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `s${n}`);
    await Promise.all(names.map((name) => rememberSelectors(table, domain, new Set([name]), '2026-01-01')));
    expect(await store.list(domain.id)).toEqual(names);
  });

  test('are proven by reports of large receivers, and not crowded out by others', async () => {
    const remember = (name: string, day: string, isProven: boolean) =>
      rememberSelectors(table, domain, new Set([name]), day, isProven);
    await remember('a', '2026-01-09', true);
    await remember('a', '2026-01-10', false);
    await remember('b', '2026-01-11', false);
    await remember('b', '2026-01-10', true);
    expect(await store.provenSince(domain.id, '2026-01-09')).toEqual(['b', 'a']);
    expect(await store.provenSince(domain.id, '2026-01-10')).toEqual(['b']);
    for (let n = 10; n < 40; n += 1) await remember(`forged${n}`, '2026-01-12', false);
    expect(await store.provenSince(domain.id, '2026-01-09')).toEqual(['b', 'a']);
    expect(await store.list(domain.id)).toHaveLength(20);
    // What large receivers have not seen for a month makes room.
    await remember('c', '2026-02-20', true);
    for (let n = 10; n < 40; n += 1) await remember(`forged${n}`, '2026-02-21', false);
    expect(await store.provenSince(domain.id, '2026-01-01')).toEqual(['c']);
    // A late report of a month before counts as little.
    await remember('d', '2026-01-15', true);
    expect(await store.provenSince(domain.id, '2026-01-01')).toEqual(['c']);
  });

  test('cause no write if nothing is new', async () => {
    await rememberSelectors(table, domain, new Set(['a']), '2026-01-02');
    const before = await itemsOf(table, domain);
    await rememberSelectors(table, domain, new Set(['a']), '2026-01-01');
    expect(await itemsOf(table, domain)).toEqual(before);
  });

  test('may have any name', async () => {
    await rememberSelectors(table, domain, new Set(['__proto__', 'constructor']), '2026-01-02');
    expect(await store.list(domain.id)).toEqual(['__proto__', 'constructor']);
  });

  test('of a deleted domain are not stored', async () => {
    await domainStore(table).remove(domain, new Date());
    await rememberSelectors(table, domain, new Set(['a']), '2026-01-01');
    expect(await itemsOf(table, domain)).toEqual([]);
  });
});

describe('selectors proven by mail tests', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, n));
  let name: string;
  let count = 0;
  beforeEach(() => {
    count += 1;
    name = `tested${count}.example`;
  });

  test('are found by domain name, whether or not anyone has registered it', async () => {
    await store.rememberTested(name, new Set(['s1']), day(1));
    expect(await store.listTested(name, day(1))).toEqual(['s1']);
    expect(await store.listTested(`other.${name}`, day(1))).toEqual([]);
    expect(await store.list(name)).toEqual([]);
  });

  test('are not stored in the partition of an organization', async () => {
    await store.rememberTested(domain.domain, new Set(['s1']), day(1));
    expect(await itemsOf(table, domain)).toEqual([]);
  });

  test('are limited to the last 20, however often anyone tests', async () => {
    for (let n = 1; n <= 25; n += 1) {
      await store.rememberTested(name, new Set([`s${n}`]), day(n));
      await store.rememberTested(name, new Set([`s${n}`]), day(n));
    }
    const listed = await store.listTested(name, day(25));
    expect([listed.length, listed[0], listed.at(-1)]).toEqual([20, 's25', 's6']);
  });

  test('expire 90 days after the last test that proved them, even before the table deletes them', async () => {
    await store.rememberTested(name, new Set(['old', 'used']), day(1));
    await store.rememberTested(name, new Set(['used']), day(50));
    expect(await store.listTested(name, day(91))).toEqual(['used', 'old']);
    expect(await store.listTested(name, day(92))).toEqual(['used']);
    await store.rememberTested(name, new Set(['new']), day(92));
    expect(await store.listTested(name, day(92))).toEqual(['new', 'used']);
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: testedSelectorsKey(name) }),
    );
    expect(Object.keys(Item ?? {}).filter((one) => one.startsWith('seen#'))).toEqual([
      'seen#used',
      'seen#new',
    ]);
    expect(Item?.expiresAt).toBe(day(92 + 90).getTime() / 1000);
  });

  test('of concurrent messages are all stored', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `s${n}`);
    await Promise.all(names.map((selector) => store.rememberTested(name, new Set([selector]), day(1))));
    expect(await store.listTested(name, day(1))).toEqual(names);
  });
});
