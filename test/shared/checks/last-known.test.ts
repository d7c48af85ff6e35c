import { describe, expect, test } from '@jest/globals';
import { keepLastKnown } from '../../../shared/checks/last-known.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import type { Finding, Severity } from '../../../shared/protocol/findings/finding.ts';
import { recorded } from '../../kit/recorded.ts';
import {
  dkimKey,
  emptyResults,
  mxHost,
  mxResult,
  perfectResults,
  unknownResults,
} from '../../kit/results.ts';

const HOUR = 3_600_000;
const checkedAt = '2026-01-01T00:00:00.000Z';
const hoursLater = (hours: number) => new Date(Date.parse(checkedAt) + hours * HOUR);
const known = perfectResults('sends-and-receives');
const before = { checkedAt, results: known };

describe('a check that failed', () => {
  test('keeps its last known result and the time of that result', () => {
    const kept = keepLastKnown(unknownResults(), before, hoursLater(1));
    expect(kept.spf).toEqual({ ...known.spf, asOf: checkedAt });
    expect(Object.values(kept).map(({ state }) => state)).not.toContain('unknown');
  });

  test('keeps the time of the observation however often the result is reused', () => {
    const once = keepLastKnown(unknownResults(), before, hoursLater(10));
    const twice = keepLastKnown(
      unknownResults(),
      { checkedAt: hoursLater(10).toISOString(), results: once },
      hoursLater(20),
    );
    expect(twice.dmarc.asOf).toBe(checkedAt);
  });

  test.each([
    [72, 'pass'],
    [72.001, 'unknown'],
  ])('is, %d hours later, %s', (hours, state) => {
    expect(keepLastKnown(unknownResults(), before, hoursLater(hours)).dnssec.state).toBe(state);
  });

  test('is unknown without an earlier result', () => {
    expect(keepLastKnown(unknownResults(), undefined, hoursLater(1)).spf.state).toBe('unknown');
  });

  test.each([
    ['other records are published now', 'elsewhere.example'],
    ['one of several records is gone', 'mx1.example.org'],
  ])('does not hide that %s', (_, exchange) => {
    const elsewhere = mxResult({
      state: 'unknown',
      records: [{ priority: 10, exchange }],
      hosts: [mxHost(exchange, 10, { tlsSupported: null })],
    });
    const seen = { ...known, mx: elsewhere };
    expect(keepLastKnown(seen, before, hoursLater(1)).mx).toEqual(elsewhere);
  });
});

describe('a check with one failed lookup', () => {
  const finding = (id: string, severity: Severity = 'notice', subject?: string): Finding => ({
    id,
    severity,
    ...(subject === undefined ? {} : { subject }),
    arguments: {},
  });
  const withMx = (...findings: readonly Finding[]): CheckResults => ({
    ...known,
    mx: mxResult({ daneSupported: null, findings }),
  });
  const kept = (seen: CheckResults, was: CheckResults = known) =>
    keepLastKnown(seen, { checkedAt, results: was }, hoursLater(1));

  test.each(['mx-tlsa-unavailable', 'mx-not-asked', 'mx-deferred'])(
    'keeps the last result that had the answer (%s)',
    (id) => {
      expect(kept(withMx(finding(id))).mx).toEqual({ ...known.mx, asOf: checkedAt });
    },
  );

  test('is used unchanged if the last result lacked the answer too', () => {
    const missing = withMx(finding('mx-deferred', 'notice', '192.0.2.1'));
    expect(kept(missing, missing).mx).toEqual(missing.mx);
  });

  test('keeps the last result if that one lacked a different answer', () => {
    const was = withMx(finding('mx-deferred', 'notice', '192.0.2.1'));
    const seen = withMx(finding('mx-deferred', 'notice', '192.0.2.2'));
    expect(kept(seen, was).mx).toEqual({ ...was.mx, asOf: checkedAt });
  });

  test('is not hidden if it shows a new fault', () => {
    const seen = withMx(finding('mx-deferred'), finding('mx-no-starttls', 'warning', '192.0.2.1'));
    expect(kept(seen).mx).toEqual(seen.mx);
  });

  test('keeps known faults that could not be checked again', () => {
    const was = withMx(finding('mx-tls-old', 'warning', '192.0.2.1'));
    expect(kept(withMx(finding('mx-not-asked', 'notice', '192.0.2.1')), was).mx.findings).toEqual(
      was.mx.findings,
    );
  });

  const unavailableKey = dkimKey('s1', {
    ...{ state: 'unknown', record: null, findings: [finding('dkim-selector-unavailable')] },
  });
  const withKeys = (
    selectors: CheckResults['dkim']['selectors'],
    findings: readonly Finding[] = [],
  ): CheckResults => ({ ...known, dkim: { state: 'pass', findings, selectors } });
  const two = withKeys([dkimKey('s1'), dkimKey('s2')]);

  test('keeps the key of a selector whose lookup failed', () => {
    const seen = withKeys([unavailableKey, dkimKey('s2')]);
    expect(kept(seen, two).dkim).toEqual({ ...two.dkim, asOf: checkedAt });
  });

  test.each<[string, CheckResults]>([
    ['another key', withKeys([unavailableKey, dkimKey('s2', { record: 'v=DKIM1; p=BBBB' })])],
    ['a new key', withKeys([unavailableKey, dkimKey('s2'), dkimKey('s3')])],
    ['the removal of a key', withKeys([unavailableKey], [finding('dkim-selector-gone', 'notice', 's2')])],
    [
      'the removal of a key that the owner named',
      withKeys([unavailableKey], [finding('dkim-selector-missing', 'warning', 's2')]),
    ],
  ])('does not hide %s behind it', (_, seen) => {
    expect(kept(seen, two).dkim).toEqual(seen.dkim);
  });
});

test('which result of a check is kept, by what it was and what it is', () => {
  const failing: Finding = { id: 'dkim-incomplete', severity: 'notice', arguments: {} };
  const fault: Finding = { id: 'mx-alias', severity: 'warning', subject: 'mx1.example.org', arguments: {} };
  const variants = (results: CheckResults) =>
    Object.fromEntries(
      (['mx', 'spf', 'dkim', 'dmarc', 'dnssec'] as const).map((name) => {
        const found = results[name];
        return [
          name,
          {
            ...{ found, nothing: emptyResults()[name], unknown: unknownResults()[name] },
            lacking: { ...found, findings: [failing] },
            'lacking, with a fault': { ...found, findings: [failing, fault] },
            'unknown, with the records': { ...found, state: 'unknown' as const },
          },
        ];
      }),
    );
  const all = variants(known);
  recorded(
    Object.fromEntries(
      Object.entries(all).map(([name, states]) => [
        name,
        Object.entries(states).flatMap(([was, earlier]) =>
          Object.entries(states).flatMap(([is, later]) => {
            const earlierRun = { checkedAt, results: { ...known, [name]: earlier } };
            const kept = keepLastKnown({ ...known, [name]: later }, earlierRun, hoursLater(1));
            return kept[name as 'spf'].asOf === undefined ? [] : [`${was} is kept for ${is}`];
          }),
        ),
      ]),
    ),
  );
});
