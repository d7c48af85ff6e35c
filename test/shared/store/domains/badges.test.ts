import { beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import type { UsageType } from '../../../../shared/checks/state.ts';
import { computeScore, scoresByUsage } from '../../../../shared/score/score.ts';
import { checkStore } from '../../../../shared/store/check-runs/checks.ts';
import { badgeStore } from '../../../../shared/store/domains/badges.ts';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { badgeKey } from '../../../../shared/store/keys.ts';
import { counted } from '../../../kit/capacity.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { perfectResults } from '../../../kit/results.ts';
import { useTable } from '../../../kit/use-table.ts';

let domain: Domain;

const table = await useTable();
const domains = domainStore(table);
const badges = badgeStore(table);
beforeEach(async () => {
  domain = await registeredDomain(table);
});

const at = (second: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + second * 1000);
const results = perfectResults('parked');

/** The domain after a change of its badge, and of its usage type if given. */
async function change(
  hasBadge: boolean,
  second: number,
  usageType: UsageType = domain.usageType,
): Promise<Domain> {
  const wanted = { hasBadge, usageType, testEmailLocalPart: null, dkimSelectors: [] };
  const after = await domains.change(domain, wanted, at(second));
  if (after === undefined) throw new Error('the domain was changed meanwhile');
  domain = after;
  return after;
}

const isStored = async (token = '') => (await table.get(badgeKey(token), z.looseObject({}))) !== undefined;
const shown = (token: string | undefined) => badges.get(token ?? '');

describe('a badge', () => {
  test('does not exist until it is enabled', async () => {
    expect(domain.badgeToken).toBeUndefined();
    const { badgeToken } = await change(true, 1);
    expect(badgeToken).toMatch(/^[0-9a-f]{32}$/);
    expect(await shown(badgeToken)).toEqual({ domain: 'example.org', score: null });
    expect(await domains.get(domain.organization, domain.id)).toEqual(domain);
  });

  test('keeps its token while it is enabled, and gets a new one after it was disabled', async () => {
    const { badgeToken: first } = await change(true, 1);
    expect((await change(true, 2, 'sends-only')).badgeToken).toBe(first);
    expect((await change(false, 3)).badgeToken).toBeUndefined();
    expect([await shown(first), await isStored(first)]).toEqual([undefined, false]);
    const { badgeToken: second } = await change(true, 4);
    expect(second).not.toBe(first);
    expect([await shown(first), await shown(second)]).toEqual([
      undefined,
      { domain: 'example.org', score: null },
    ]);
  });

  test('shows the score of the latest checks for the current usage type', async () => {
    const { badgeToken } = await change(true, 1);
    const checks = { checkedAt: at(2).toISOString(), results, scores: scoresByUsage(results) };
    await checkStore(table).keep(domain, checks);
    expect(await shown(badgeToken)).toEqual({ domain: 'example.org', score: 100 });
    await change(true, 3, 'receives-only');
    const { score } = computeScore(results, 'receives-only');
    expect(score).not.toBe(100);
    expect(await shown(badgeToken)).toEqual({ domain: 'example.org', score });
  });

  test('costs two small reads, however much is stored for its domain', async () => {
    const { badgeToken = '' } = await change(true, 1);
    const { table: measured, capacity } = counted(table);
    await badgeStore(measured).get(badgeToken);
    expect([capacity.calls(), capacity.units().reads]).toEqual([2, 2]);
  });

  test('is deleted with its domain without remains', async () => {
    const { badgeToken } = await change(true, 1);
    expect(await domains.remove(domain, at(2))).toBe(true);
    expect([await shown(badgeToken), await isStored(badgeToken)]).toEqual([undefined, false]);
  });

  test('keeps a deletion from being based on the domain before it was enabled', async () => {
    const before = domain;
    const { badgeToken } = await change(true, 1);
    expect(await domains.remove(before, at(2))).toBeUndefined();
    expect(await isStored(badgeToken)).toBe(true);
  });

  test('is created once for concurrent requests', async () => {
    const before = domain;
    const usage = { usageType: 'parked' as const, testEmailLocalPart: null, dkimSelectors: [] };
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => domains.change(before, { ...usage, hasBadge: true }, at(0))),
    );
    const [winner, ...others] = outcomes.filter((outcome) => outcome !== undefined);
    expect(others).toEqual([]);
    expect(await domains.get(before.organization, before.id)).toEqual(winner);
  });

  test.each(['', '0', 'f'.repeat(32), '../../x'])('with the token "%s" does not exist', async (token) => {
    expect(await badges.get(token)).toBeUndefined();
  });
});
