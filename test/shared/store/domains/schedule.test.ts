/** The turns of a domain when sweeps and workers are late: what a later one did stays. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { domainStore } from '../../../../shared/store/domains/domains.ts';
import { type DueDomain, scheduleStore } from '../../../../shared/store/domains/schedule.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-01T06:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const LEASE = 60;

let turn: DueDomain;
let next: DueDomain;
const table = await useTable();
const schedule = scheduleStore(table);
beforeEach(async () => {
  const { organization, id } = await registeredDomain(table);
  turn = { organization, id, dueAt: now.toISOString() };
  next = { ...turn, dueAt: later(3600).toISOString() };
});

test('a sweep that is late does not postpone a domain again', async () => {
  const domain = await domainStore(table).get(turn.organization, turn.id);
  if (domain === undefined) throw new Error('gone');
  await domainStore(table).markVerified(domain, now);
  const dueAt = async (at: Date) => (await schedule.dueOf(turn.organization, at, 25)).count;
  await schedule.postpone(turn, later(3600));
  await schedule.postpone(turn, later(7200));
  expect([await dueAt(later(3599)), await dueAt(later(3600))]).toEqual([0, 1]);
});

describe('a turn', () => {
  test('cannot be claimed again before its lease has expired, or once it is done', async () => {
    expect(await schedule.claim(turn, now, LEASE)).toBe(true);
    expect(await schedule.claim(turn, later(LEASE), LEASE)).toBe(false);
    expect(await schedule.claim(turn, later(LEASE + 1), LEASE)).toBe(true);
    await schedule.finish(turn);
    expect(await schedule.claim(turn, later(86_400), LEASE)).toBe(false);
  });

  test('cannot be claimed after a later one', async () => {
    expect(await schedule.claim(next, now, LEASE)).toBe(true);
    expect(await schedule.claim(turn, later(86_400), LEASE)).toBe(false);
  });

  test('that is done late does not end a later one', async () => {
    await schedule.claim(turn, now, LEASE);
    expect(await schedule.claim(next, now, LEASE)).toBe(true);
    await schedule.finish(turn);
    expect(await schedule.claim(next, later(LEASE + 1), LEASE)).toBe(true);
  });
});
