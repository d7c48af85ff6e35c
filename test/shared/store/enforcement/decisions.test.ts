/** Decisions and attestations that several people change at the same time. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import { domainStore } from '../../../../shared/store/domains/domains.ts';
import { decisionStore } from '../../../../shared/store/enforcement/decisions.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 5, 8, minute)).toISOString();

let domain: Domain;
const table = await useTable();
const store = decisionStore(table);
beforeEach(async () => {
  domain = await registeredDomain(table);
});

describe('an attestation', () => {
  const attestedAt = (minute: number) => ({ at: at(minute), by: null });

  test('is kept, taken back, and made again', async () => {
    for (const volume of [attestedAt(1), null, attestedAt(2)]) {
      const before = await store.attestations(domain.id);
      expect(await store.attest(domain, { volume }, before)).toBe('changed');
      expect(await store.attestations(domain.id)).toEqual({ ...before, volume });
    }
  });

  test('is outdated if another one was made since they were read', async () => {
    const before = await store.attestations(domain.id);
    await store.attest(domain, { seasonalSenders: attestedAt(1) }, before);
    expect(await store.attest(domain, { volume: attestedAt(2) }, before)).toBe('outdated');
    expect((await store.attestations(domain.id)).volume).toBeNull();
  });

  test('of a removed domain is not kept', async () => {
    const before = await store.attestations(domain.id);
    await domainStore(table).remove(domain, new Date(at(3)));
    expect(await store.attest(domain, { volume: attestedAt(4) }, before)).toBe('domain-gone');
  });
});

test('a decision is outdated if another one was made since it was read', async () => {
  const decision = (minute: number) => ({
    ...{ senderId: 's', status: 'approved' as const, note: `${minute}` },
    ...{ changedAt: at(minute), changedBy: null },
  });
  const first = decision(1);
  expect(await store.decide(domain, first, undefined)).toBe('changed');
  expect(await store.decide(domain, decision(2), undefined)).toBe('outdated');
  expect(await store.decide(domain, decision(3), first)).toBe('changed');
  expect(await store.decide(domain, decision(4), first)).toBe('outdated');
  expect((await store.list(domain.id)).get('s')).toEqual(decision(3));
});
