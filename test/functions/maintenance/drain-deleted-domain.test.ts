import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler } from '../../../functions/maintenance/drain-deleted-domain.ts';
import { handler as resumeDeletions } from '../../../functions/maintenance/resume-deletions.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { mailOutcomeStore } from '../../../shared/store/reports/mail-outcomes.ts';
import { itemsOf, registeredDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';

process.env.LOG_LEVEL = 'silent';

const now = new Date('2026-03-01T00:00:00Z');

let domain: Domain;
let removed: string[];
let sent: object[];
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
  removed = [];
  sent = [];
});

const keepMail = (of: Domain, messageId: string, alsoFor: readonly string[] = []) =>
  mailOutcomeStore(table, { retentionDays: 0 }).store(of, {
    ...{ messageId, alsoFor, receivedAt: now, rawKey: `reports/${messageId}` },
    ...{ authentication: null, from: null, subject: null },
    outcomes: [],
  });

function drain(remove: (key: string) => Promise<void> = async (key) => void removed.push(key)) {
  const deps = {
    deletions: deletionStore(table),
    domains: domainStore(table),
    raw: { read: async () => undefined, remove },
    queue: { send: async (message: object) => void sent.push(message) },
  };
  const Records = [{ messageId: 'm', body: JSON.stringify({ domainId: domain.id }) }];
  const context = { getRemainingTimeInMillis: () => 60_000 } as Context;
  return handler.with(deps as unknown as Parameters<typeof handler.with>[0])(
    { Records } as SQSEvent,
    context,
  );
}

describe('draining a removed domain', () => {
  test('deletes its messages and their outcomes', async () => {
    for (let n = 0; n < 60; n += 1) await keepMail(domain, `m${n}`);
    await domainStore(table).remove(domain, now);
    await drain();
    expect([removed.length, new Set(removed).size, await itemsOf(table, domain), sent]).toEqual([
      60,
      60,
      [],
      [],
    ]);
  });

  test('keeps a message that another domain also received, until that domain is removed, too', async () => {
    const other = await registeredDomain(table);
    await keepMail(domain, 'both', [other.mailbox]);
    await keepMail(other, 'both', [domain.mailbox]);
    await domainStore(table).remove(domain, now);
    await drain();
    expect(removed).toEqual([]);
    await domainStore(table).remove(other, now);
    domain = other;
    await drain();
    expect(removed).toEqual(['reports/both']);
  });

  test('keeps the outcome of a message that could not be deleted, and retries it', async () => {
    await keepMail(domain, 'm1');
    await domainStore(table).remove(domain, now);
    const failed = await drain(async () => {
      throw new Error('no bucket');
    });
    expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
    expect(await itemsOf(table, domain)).toHaveLength(1);
    await drain();
    expect([removed, await itemsOf(table, domain)]).toEqual([['reports/m1'], []]);
  });
});

test('a deletion is resumed if it is not finished after ten minutes', async () => {
  await domainStore(table).remove(domain, now);
  const resumedAfter = async (milliseconds: number) => {
    const clock = { now: () => new Date(now.getTime() + milliseconds) };
    const queue = { send: async (message: object) => void sent.push(message) };
    const deps = { deletions: deletionStore(table), queue, clock };
    const run = resumeDeletions.with(deps as Parameters<typeof resumeDeletions.with>[0]);
    await run({}, { getRemainingTimeInMillis: () => 60_000 } as Context);
    return sent.splice(0);
  };
  const TEN_MINUTES = 600_000;
  const message = { domainId: domain.id };
  expect(await resumedAfter(TEN_MINUTES)).not.toContainEqual(message);
  expect(await resumedAfter(TEN_MINUTES + 1)).toContainEqual(message);
  await drain();
  expect(await resumedAfter(TEN_MINUTES + 1)).not.toContainEqual(message);
});
