/** What the next renewal of a certificate does to TLSA records: single cases, and a year of renewals of three issuers. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { TlsaRecord } from '../../../shared/protocol/dns.ts';
import { readChain, type ServedChain, withChain } from '../../../shared/protocol/served-chain.ts';
import { matchesLeaf, trustAnchors, usableTlsa } from '../../../shared/protocol/tlsa.ts';
import { forecastRollover } from '../../../shared/protocol/tlsa-forecast.ts';
import { createIssuer, type Issued, type Issuer } from '../../kit/renewals.ts';

const DAY = 86_400_000;
const start = Date.parse('2026-08-01');
const on = (day: number) => new Date(start + day * DAY);

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const record = (usage: number, selector: number, data: Uint8Array): TlsaRecord => ({
  ...{ usage, selector, matchingType: 1 },
  certificate: hash(data),
});
const ofKey = ({ key }: Issued) => record(3, 1, key.publicKey.export({ type: 'spki', format: 'der' }));
const ofLeaf = ({ chain: [leaf = new Uint8Array()] }: Issued) => record(3, 0, leaf);
const ofIssuer = ({ issuerKey }: Issued) =>
  record(2, 1, issuerKey.publicKey.export({ type: 'spki', format: 'der' }));
const ofIssuerWhole = ({ chain: [, issuer = new Uint8Array()] }: Issued) => record(2, 0, issuer);

/** The history of an address on which each certificate was first seen on the day after its issue. */
function historyOf(...issued: readonly Issued[]): readonly ServedChain[] {
  return issued.reduce<readonly ServedChain[]>((before, one) => {
    const seen = readChain(one, new Date(one.validFrom.getTime() + DAY));
    return seen === undefined ? before : withChain(before, seen);
  }, []);
}

const ca = createIssuer({ organization: 'Steady CA', intermediates: ['Steady 1'] });
const days = 90;

describe('a host that was renewed with 30 of 90 days left', () => {
  const first = ca.issue(on(0), { days });
  const kept = ca.issue(on(60), { days, key: first.key });
  const changed = ca.issue(on(60), { days });
  const forecast = (records: TlsaRecord[], shown: Issued, before: readonly Issued[], day = 105) =>
    forecastRollover(records, shown, historyOf(...before, shown), on(day));

  test('breaks 3 1 1 if renewals change the key, about when a third is left', () => {
    const found = forecast([ofKey(changed)], changed, [first]);
    expect(found).toMatchObject({ outcome: 'breaks', keeps: { key: false, issuer: true } });
    expect(found?.due).toEqual(on(120));
    expect(found?.evidence).toEqual(['the renewal that was seen since 2 Aug 2026 changed the key']);
  });

  test.each<[string, (shown: Issued) => TlsaRecord, Issued, 'breaks' | undefined]>([
    ['3 1 1 with a key that is kept', ofKey, kept, undefined],
    ['2 1 1 of an issuer that is kept', ofIssuer, changed, undefined],
    ['2 0 1 of an issuer that is kept', ofIssuerWhole, changed, undefined],
    ['3 0 1, whatever is kept', ofLeaf, kept, 'breaks'],
  ])('%s', (_, make, shown, outcome) => {
    expect(forecast([make(shown)], shown, [first])?.outcome).toBe(outcome);
  });

  test('breaks nothing if one of several records survives', () => {
    expect(forecast([ofKey(changed), ofIssuer(changed)], changed, [first])).toBeUndefined();
    expect(forecast([ofLeaf(kept), ofKey(kept)], kept, [first])).toBeUndefined();
  });

  test('is not called broken if a record beside it may be for the next key, but is if that one is of the past', () => {
    const next = ca.issue(on(120), { days });
    const prepared = forecast([ofKey(changed), ofKey(next)], changed, [first]);
    expect(prepared).toMatchObject({ outcome: 'unknown', isPrepared: true });
    const stale = forecast([ofKey(changed), ofKey(first)], changed, [first]);
    expect(stale).toMatchObject({ outcome: 'breaks', isPrepared: false });
  });

  test('says nothing more than three weeks ahead, and nothing about records that match nothing', () => {
    expect(forecast([ofKey(changed)], changed, [first], 98)).toBeUndefined();
    expect(forecast([ofKey(changed)], changed, [first], 99)).toBeDefined();
    expect(forecast([ofKey(first)], changed, [first])).toBeUndefined();
    expect(forecast([ofKey(changed)], changed, [first], 151)).toBeUndefined();
  });

  test('claims nothing about keys before a renewal was seen, and nothing from two certificates in turns', () => {
    expect(forecast([ofKey(first)], first, [], 50)?.outcome).toBe('unknown');
    const turns = [first, changed].map((one) => ({
      ...historyOf(one)[0],
      first: on(1).toISOString(),
      last: on(100).toISOString(),
    }));
    const found = forecastRollover([ofKey(changed)], changed, turns as ServedChain[], on(105));
    expect(found?.outcome).toBe('unknown');
  });

  test('reads nothing from a chain that is no certificate', () => {
    const broken = { ...first, chain: [Uint8Array.of(1, 2, 3)] };
    expect(forecastRollover([ofKey(first)], broken, [], on(50))).toBeUndefined();
  });
});

describe('an intermediate certificate', () => {
  test('that its issuer retired breaks 2 1 1 at the next renewal, without any history', () => {
    const old = createIssuer({ organization: "Let's Encrypt", intermediates: ['R12'] });
    const shown = old.issue(on(0), { days });
    expect(forecastRollover([ofIssuer(shown)], shown, [], on(50))).toMatchObject({
      outcome: 'breaks',
      evidence: [
        "the record is for R12, which Let's Encrypt does not use for new certificates since 8 Jul 2026",
      ],
    });
  });

  test('that is one of several of its issuer is unknown to survive, although it did once', () => {
    const present = createIssuer({ organization: "Let's Encrypt", intermediates: ['YR1'] });
    const [first, second] = [present.issue(on(0), { days }), present.issue(on(60), { days })];
    const found = forecastRollover([ofIssuer(second)], second, historyOf(first, second), on(105));
    expect(found?.outcome).toBe('unknown');
  });

  test('that ends before the next certificate would breaks 2 0 1', () => {
    const ending = createIssuer({ organization: 'Ending CA', intermediates: ['Last'], until: on(140) });
    const shown = ending.issue(on(0), { days });
    expect(forecastRollover([ofIssuerWhole(shown)], shown, [], on(50))?.outcome).toBe('breaks');
  });
});

describe('a year of renewals, checked every day', () => {
  interface Host {
    readonly name: string;
    readonly issuer: Issuer;
    readonly days: number;
    /** Days before its end on which a certificate is renewed, a few more or less each time. */
    readonly renewedWith: readonly number[];
    readonly keepsKey: boolean;
    readonly breaks: boolean;
    /** The records that the owner publishes after each mismatch, when reports of failures have come. */
    readonly records: (issued: Issued) => readonly TlsaRecord[];
  }

  /** 90 days renewed with 30 left, 64 with 21 and 45 with 15; the last one changes its intermediates in turn. */
  const issuers = [
    { issuer: ca, days: 90, renewedWith: [30, 31, 29, 30] },
    {
      issuer: createIssuer({ organization: 'Brisk CA', intermediates: ['Brisk 1'] }),
      days: 64,
      renewedWith: [21, 20, 22],
    },
    {
      issuer: createIssuer({ organization: "Let's Encrypt", intermediates: ['YE1', 'YE2', 'YE3'] }),
      ...{ days: 45, renewedWith: [15, 16, 14, 15] },
    },
  ];
  /** The records, whether renewals keep the key, and whether they break the records: of each issuer, or of the one that changes. */
  const plans: readonly [string, Host['records'], boolean, boolean | 'changing'][] = [
    ['311 kept', (issued) => [ofKey(issued)], true, false],
    ['311 changed', (issued) => [ofKey(issued)], false, true],
    ['301 kept', (issued) => [ofLeaf(issued)], true, true],
    ['211', (issued) => [ofIssuer(issued)], false, 'changing'],
    ['201', (issued) => [ofIssuerWhole(issued)], false, 'changing'],
    ['311 changed beside 211', (issued) => [ofKey(issued), ofIssuer(issued)], false, 'changing'],
  ];
  const hosts: readonly Host[] = issuers.flatMap((issuer) =>
    plans.map(([name, records, keepsKey, breaks]) => ({
      ...issuer,
      ...{
        name: `${issuer.days} days, ${name}`,
        records,
        keepsKey,
        breaks: breaks === 'changing' ? issuer.days === 45 : breaks,
      },
    })),
  );

  /** What was announced about each renewal, how many days before it, and whether the records matched after it. */
  function liveThrough({ issuer, days: valid, renewedWith, keepsKey, records }: Host) {
    let shown = issuer.issue(on(0), { days: valid });
    let published = records(shown);
    let history: readonly ServedChain[] = [];
    let announced: { breaks?: number; unknown?: number } = {};
    const renewals: { mismatch: boolean; breaks: number; unknown: number }[] = [];
    for (let day = 1; day <= 365; day += 1) {
      const left = (shown.validTo.getTime() - on(day).getTime()) / DAY;
      if (left <= (renewedWith[renewals.length % renewedWith.length] ?? 0)) {
        const next = issuer.issue(on(day), { days: valid, ...(keepsKey && { key: shown.key }) });
        const usable = usableTlsa(published);
        const isMatch = matchesLeaf(usable, next.chain) || trustAnchors(usable, next.chain).length > 0;
        const ahead = (since: number | undefined) => (since === undefined ? 0 : day - since);
        const { breaks, unknown } = announced;
        renewals.push({ mismatch: !isMatch, breaks: ahead(breaks), unknown: ahead(unknown) });
        shown = next;
        announced = {};
        if (!isMatch) published = records(shown);
      }
      const found = forecastRollover(usableTlsa(published), shown, history, on(day));
      if (found !== undefined) announced[found.outcome] ??= day;
      const seen = readChain(shown, on(day));
      if (seen !== undefined) history = withChain(history, seen);
    }
    return renewals;
  }

  test.each(hosts)('$name', (host) => {
    const renewals = liveThrough(host);
    expect(renewals.length).toBeGreaterThanOrEqual(5);
    const mismatches = renewals.filter(({ mismatch }) => mismatch);
    // Without history, only the form of a record says what happens; the rest is announced as unknown once.
    const isCertain = host.name.includes('301');
    for (const { breaks } of isCertain ? mismatches : mismatches.slice(1))
      expect(breaks).toBeGreaterThanOrEqual(7);
    for (const { unknown } of isCertain ? [] : mismatches.slice(0, 1))
      expect(unknown).toBeGreaterThanOrEqual(7);
    const lasting = renewals.filter(({ mismatch }) => !mismatch);
    expect(lasting.map(({ breaks }) => breaks)).toEqual(lasting.map(() => 0));
    expect([mismatches.length, lasting.length]).toEqual(
      host.breaks ? [renewals.length, 0] : [0, renewals.length],
    );
    if (host.keepsKey && !host.breaks)
      expect(renewals.slice(1).every(({ unknown }) => unknown === 0)).toBe(true);
  });
});
