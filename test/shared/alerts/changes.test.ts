/** The differences between two check runs: what failed lookups hide, and what an alert shows of many. */
import { describe, expect, test } from '@jest/globals';
import {
  type CheckChange,
  changesOf,
  commonChanges,
  showChange,
  withChanges,
} from '../../../shared/alerts/changes.ts';
import { type CheckFacts, factsOf } from '../../../shared/alerts/facts.ts';
import type { CheckName } from '../../../shared/checks/state.ts';
import { raiser } from '../../../shared/protocol/findings/finding.ts';
import { mxRules } from '../../../shared/protocol/findings/mx.ts';
import { perfectResults } from '../../kit/results.ts';

const facts = factsOf(perfectResults('sends-and-receives'), 'sends-and-receives');
const fault = (host: string) => raiser(mxRules)('mx-dangling', { host, owner: 'example.org' });

/** The change of one check from these facts to those. */
function changeOf(name: CheckName, before: Partial<CheckFacts>, after: Partial<CheckFacts>) {
  const withFacts = (given: Partial<CheckFacts>) => ({
    ...facts,
    checks: { ...facts.checks, [name]: { ...facts.checks[name], ...given } },
  });
  return changesOf(withFacts(before), withFacts(after))[name];
}

describe('after failed lookups', () => {
  const complete = false;

  test('a DKIM key is missing only if its own selector has another one', () => {
    const before = { records: ['s1:a', 's10:a'] };
    expect(changeOf('dkim', before, { complete, records: ['s10:a'] })).toBeUndefined();
    expect(changeOf('dkim', before, { complete, records: ['s1:b', 's10:a'] })).toMatchObject({
      recordsAdded: ['s1:b'],
      recordsRemoved: ['s1:a'],
    });
    expect(changeOf('dkim', before, { records: ['s10:a'] })).toMatchObject({ recordsRemoved: ['s1:a'] });
  });

  test('another record replaces one, and none does not', () => {
    const before = { records: ['v=spf1 -all'] };
    expect(changeOf('spf', before, { complete, records: [] })).toBeUndefined();
    expect(changeOf('spf', before, { complete, records: ['v=spf1 ~all'] })).toMatchObject({
      recordsRemoved: ['v=spf1 -all'],
    });
    expect(changeOf('spf', before, { records: [] })).toMatchObject({ recordsRemoved: ['v=spf1 -all'] });
  });

  test('a fault may still exist, and a new one does', () => {
    const change = changeOf('mx', { faults: [fault('a')] }, { complete, faults: [fault('b')] });
    expect(change).toMatchObject({ faultsAdded: [fault('b')], faultsRemoved: [] });
  });
});

test('what two comparisons have in common is what both found', () => {
  const one = { recordsAdded: ['a', 'b'], recordsRemoved: ['c', 'd'], faultsAdded: [fault('a'), fault('b')] };
  const other = { recordsAdded: ['b'], recordsRemoved: ['d'], faultsAdded: [fault('b')] };
  const removed = { faultsRemoved: [fault('c'), fault('d')] };
  const common = commonChanges(
    { mx: { ...one, ...removed }, spf: { ...one, ...removed } },
    { mx: { ...other, faultsRemoved: [fault('d')] } },
  );
  expect(common).toEqual({ mx: { ...other, faultsRemoved: [fault('d')] } });
});

test('applied changes take out and add records, those that are context beside the others', () => {
  const before = { ...facts.checks.mx, records: ['2', '4'], context: ['c', 'd'], faults: [fault('a')] };
  const after = { ...facts.checks.mx, records: ['1'], context: ['d', 'e'] };
  const change = {
    ...{ recordsAdded: ['1', 'e'], recordsRemoved: ['4', 'c'] },
    ...{ faultsAdded: [fault('b')], faultsRemoved: [fault('a')] },
  };
  const { mx, spf } = withChanges(
    { ...facts.checks, mx: before },
    { mx: change },
    { ...facts, checks: { ...facts.checks, mx: after, spf: before } },
  );
  expect(mx).toMatchObject({ records: ['1', '2'], context: ['d', 'e'], faults: [fault('b')] });
  expect(spf).toBe(facts.checks.spf);
});

test('the faults of DKIM are those of its keys, too', () => {
  const results = perfectResults('sends-and-receives');
  const selectors = results.dkim.selectors.map((one) => ({ ...one, findings: [fault('a')] }));
  const { checks } = factsOf({ ...results, dkim: { ...results.dkim, selectors } }, 'sends-and-receives');
  expect(checks.dkim.faults).toEqual(selectors.map(() => fault('a')));
});

describe('an alert', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `record ${at}`);
  const states = { before: { state: 'pass', records: [] }, after: { state: 'pass' } } as const;
  const shown = (change: Partial<CheckChange>) =>
    showChange(
      'spf',
      { recordsAdded: [], recordsRemoved: [], faultsAdded: [], faultsRemoved: [], ...change },
      states,
    );

  test('shows up to 20 of each list, and counts the others', () => {
    expect(shown({ recordsAdded: many(20) })).toMatchObject({ recordsAdded: many(20), omitted: 0 });
    const faults = many(21).map(fault);
    const all = shown({
      ...{ recordsAdded: many(21), recordsRemoved: many(22), faultsRemoved: faults },
    });
    expect(all).toMatchObject({
      ...{ recordsAdded: many(20), recordsRemoved: many(20), findingsRemoved: faults.slice(0, 20) },
      omitted: 1 + 2 + 1,
    });
  });

  test('shows up to 300 characters of a record', () => {
    const { recordsAdded } = shown({ recordsAdded: ['x'.repeat(300), 'y'.repeat(301)] });
    expect(recordsAdded).toEqual(['x'.repeat(300), `${'y'.repeat(300)}...`]);
  });
});
