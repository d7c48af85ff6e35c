/** Everything that is stored by check, as a release with one check fewer and one more wrote it. */
import { gzipSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { factsOf } from '../../../shared/alerts/facts.ts';
import { nextMonitorState } from '../../../shared/alerts/monitor-state.ts';
import { showChecks } from '../../../shared/api/show-checks.ts';
import { checkSections } from '../../../shared/pages/check-results/sections.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import { monitorStateReader } from '../../../shared/store/check-runs/monitor-states.ts';
import { domainCheckShareStore, domainCheckStore } from '../../../shared/store/domain-checks.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import {
  checksHistoryOf,
  checksKey,
  domainCheckKey,
  domainCheckShareKey,
  domainKey,
  monitorStateKey,
} from '../../../shared/store/keys.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';

const at = '2026-01-05T08:00:00.000Z';
const packed = (value: unknown) => gzipSync(JSON.stringify(value));

const table = await useTable();

const put = (item: object) => table.client.send(new PutCommand({ TableName: table.name, Item: item }));

/** Without the TLS-RPT check, and with a check that this release does not know. */
const otherChecks = <Values extends { readonly tlsRpt: unknown }>(
  { tlsRpt: _, ...rest }: Values,
  other: unknown,
) => ({
  ...rest,
  later: other,
});

const perfect = perfectResults('sends-and-receives');

test('results have not run a check that they lack, which costs no points, and lose one that is not known', async () => {
  const results = packed(otherChecks(perfect, { state: 'fail', findings: [], field: 1 }));
  await put({ ...checksKey('d'), checkedAt: at, results, unknownSince: { later: at, mx: at } });
  const stored = await checkStore(table).latest('d');
  expect(stored?.results).toEqual({
    ...perfect,
    tlsRpt: expect.objectContaining({ state: 'unknown', findings: [] }),
  });
  expect(stored?.unknownSince).toEqual({ mx: at });
  expect(stored && computeScore(stored.results, 'sends-and-receives')).toMatchObject({ score: 100 });
});

test('what a new check finds first raises no alert, and what it finds later does', async () => {
  const facts = factsOf(perfect, 'sends-and-receives');
  const checks = otherChecks(facts.checks, facts.checks.mx);
  await put({
    ...monitorStateKey('d'),
    revision: 1,
    state: packed({ baseline: { ...facts, checks }, isBelowThreshold: false }),
  });
  const { state } = await monitorStateReader(table).get('d');
  const context = { domain: 'example.org', threshold: 70, confirmAfterMilliseconds: 60_000 };
  const first = nextMonitorState(state, facts, { ...context, now: new Date(at) });
  expect(first).toMatchObject({ alerts: [], needsConfirmation: false, state: { baseline: facts } });
  const without = { ...perfect, tlsRpt: { ...perfect.tlsRpt, state: 'absent', record: null } } as const;
  const next = nextMonitorState(first.state, factsOf(without, 'sends-and-receives'), {
    ...{ ...context, now: new Date('2026-01-06T08:00:00.000Z') },
  });
  expect(next.needsConfirmation).toBe(true);
});

const eight = ['mx', 'spf', 'dkim', 'dmarc', 'mtaSts', 'tlsRpt', 'bimi', 'dnssec'];
/** A value for each check, as the release before the CAA check wrote them. */
const ofEight = (value: object) => Object.fromEntries(eight.map((name) => [name, value]));

describe('items of the release before the CAA check', () => {
  const results = ofEight({ state: 'pass', findings: [] });

  test('have results in which it has not run, also on saved pages', async () => {
    await put({ ...checksKey('e'), checkedAt: at, results: packed(results) });
    const result = packed({ results, lookups: [] });
    await put({ ...domainCheckKey('example.org', null), domain: 'example.org', checkedAt: at, result });
    const page = { domain: 'example.org', checkedAt: at, usageType: 'parked', result, expiresAt: 4e9 };
    await put({ ...domainCheckShareKey('s'), ...page });
    const now = new Date(at);
    const stored = [
      await checkStore(table).latest('e'),
      await domainCheckStore(table).recent('example.org', null, now),
      await domainCheckShareStore(table).get('s', now),
    ];
    for (const item of stored) {
      expect(item?.results.spf.state).toBe('pass');
      const { caa } = item?.results ?? {};
      expect(caa).toEqual({ state: 'unknown', findings: [], records: [], recordsAt: null, certificates: [] });
    }
    const shown = stored[2] && showChecks(stored[2].results, { domain: 'example.org' });
    expect(shown?.caa).toMatchObject({ state: 'unknown', errors: [], warnings: [], findings: [] });
    const score = stored[2] && computeScore(stored[2].results, 'sends-and-receives');
    expect(score?.components.map(({ component }) => component)).not.toContain('caa');
    const owner = { domain: 'example.org' };
    const section = stored[2] && score && String(checkSections(stored[2].results, score, owner, 1e5));
    expect(section).toMatch(/id="check-caa".*Not checked yet\./s);
  });
});

test('the states of a domain, and its history, have only known checks', async () => {
  const domain = {
    ...{ id: 'd', organization: 'o', domain: 'example.org', verified: true, verificationToken: 'proof' },
    ...{ usageType: 'parked', testEmailLocalPart: null, mailbox: 'box', lastCheckedAt: at },
    ...{ createdAt: at, updatedAt: at, dkimSelectors: [], tags: [], states: { mx: 'pass', later: 'fail' } },
  };
  await put({ ...domainKey('o', 'd'), ...domain });
  expect((await domainStore(table).get('o', 'd'))?.states).toEqual({ mx: 'pass' });
  const change = {
    ...{ check: 'mx', previousState: 'unknown', newState: 'pass', recordsAdded: [], recordsRemoved: [] },
    ...{ findingsAdded: [], findingsRemoved: [], omitted: 0 },
  };
  const { pk, prefix } = checksHistoryOf('d');
  await put({ pk, sk: `${prefix}${at}`, at, changes: [change, { ...change, check: 'later' }] });
  const { entries } = await historyStore(table, { retentionDays: 0 }).checks(
    'd',
    { page: 1, limit: 9 },
    new Date(at),
  );
  expect(entries).toEqual([{ at, changes: [change] }]);
});
