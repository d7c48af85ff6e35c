/** What the next renewal of a certificate does to TLSA records: single cases, and a year of renewals of three issuers. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { TlsaRecord } from '../../../shared/protocol/dns.ts';
import { nothingServed, type ServedHistory, withShown } from '../../../shared/protocol/served-chain.ts';
import { isDescribedBy, usableTlsa } from '../../../shared/protocol/tlsa.ts';
import { forecastRollover } from '../../../shared/protocol/tlsa-forecast.ts';
import { byAnswer, type Named } from '../../kit/answers.ts';
import { createIssuer, type Issued, type Issuer } from '../../kit/renewals.ts';
import { type KeyPair, keyPair } from '../../kit/x509.ts';

const DAY = 86_400_000;
const start = Date.parse('2026-08-01');
const on = (day: number) => new Date(start + day * DAY);

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const record = (usage: number, selector: number, data: Uint8Array): TlsaRecord => ({
  ...{ usage, selector, matchingType: 1 },
  certificate: hash(data),
});
const ofKey = ({ key }: { readonly key: KeyPair }) =>
  record(3, 1, key.publicKey.export({ type: 'spki', format: 'der' }));
const ofLeaf = ({ chain: [leaf = new Uint8Array()] }: Issued) => record(3, 0, leaf);
const ofIssuer = ({ issuerKey }: Issued) =>
  record(2, 1, issuerKey.publicKey.export({ type: 'spki', format: 'der' }));
const ofIssuerWhole = ({ chain: [, issuer = new Uint8Array()] }: Issued) => record(2, 0, issuer);

/** The history of an address on which each certificate was first seen on the day after its issue, without TLSA records. */
function historyOf(...issued: readonly Issued[]): ServedHistory {
  return issued.reduce(
    (before, one) => withShown(before, one, undefined, new Date(one.validFrom.getTime() + DAY)),
    nothingServed,
  );
}

/** The history of an address after check runs that saw a certificate and TLSA records on a day. */
function seenOn(...runs: readonly (readonly [day: number, Issued, readonly TlsaRecord[]])[]): ServedHistory {
  return runs.reduce(
    (before, [day, shown, records]) => withShown(before, shown, records, on(day)),
    nothingServed,
  );
}

const ca = createIssuer({ organization: 'Steady CA', intermediates: ['Steady 1'] });
const days = 90;

type Thrice = readonly [Issued, Issued, Issued];
const issuedThrice = (issuer = ca) =>
  [0, 60, 120].map((day) => issuer.issue(on(day), { days })) as [Issued, Issued, Issued];

/** Records that were published some days before each renewal, or at it. */
const publishedAhead = ([one, two, three]: Thrice, ahead: number) =>
  seenOn(
    [1, one, [ofKey(one)]],
    [61 - ahead, ahead === 0 ? two : one, [ofKey(one), ofKey(two)]],
    [61, two, [ofKey(two)]],
    [121 - ahead, ahead === 0 ? three : two, [ofKey(two), ofKey(three)]],
    [121, three, [ofKey(three)]],
  );

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

  test('is not called broken if a record beside it may be for the next key, but is if that one was passed over', () => {
    const next = ca.issue(on(120), { days });
    const prepared = forecast([ofKey(changed), ofKey(next)], changed, [first]);
    expect(prepared).toMatchObject({ outcome: 'unknown', isPrepared: true });
    for (const stale of [ofKey(first), ofKey({ key: keyPair() })]) {
      const history = seenOn([1, first, [ofKey(first), stale]], [61, changed, [stale]]);
      const found = forecastRollover([ofKey(changed), stale], changed, history, on(105));
      expect(found).toMatchObject({ outcome: 'breaks', isPrepared: false });
    }
  });

  test('says nothing more than three weeks ahead, and nothing about records that match nothing', () => {
    expect(forecast([ofKey(changed)], changed, [first], 98)).toBeUndefined();
    expect(forecast([ofKey(changed)], changed, [first], 99)).toBeDefined();
    expect(forecast([ofKey(first)], changed, [first])).toBeUndefined();
    expect(forecast([ofKey(changed)], changed, [first], 151)).toBeUndefined();
  });

  test('claims nothing about keys before a renewal was seen, and nothing from two certificates in turns', () => {
    expect(forecast([ofKey(first)], first, [], 50)?.outcome).toBe('unknown');
    const turns = seenOn([61, first, []], [61, changed, []], [100, first, []], [100, changed, []]);
    const found = forecastRollover([ofKey(changed)], changed, turns, on(105));
    expect(found?.outcome).toBe('unknown');
  });

  test('reads nothing from a chain that is no certificate', () => {
    const broken = { ...first, chain: [Uint8Array.of(1, 2, 3)] };
    expect(forecastRollover([ofKey(first)], broken, nothingServed, on(50))).toBeUndefined();
  });
});

describe('a host whose renewals change the key', () => {
  const all = issuedThrice();
  const [one, two, three] = all;
  const forecast = (history: ServedHistory, day: number, ...records: readonly TlsaRecord[]) =>
    forecastRollover([ofKey(three), ...records], three, history, on(day));

  test('is told that one such renewal shows no practice', () => {
    const history = seenOn([61, two, [ofKey(two)]], [121, three, [ofKey(three)]]);
    expect(forecast(history, 165)).toMatchObject({
      outcome: 'unknown',
      evidence: [expect.stringContaining('changed the key'), expect.stringContaining('no practice')],
    });
  });

  test('is told when the record is not there that was there some days ahead before', () => {
    const missing = forecast(publishedAhead(all, 12), 171);
    expect(missing).toMatchObject({ outcome: 'breaks', isPrepared: false });
    expect(missing?.evidence[1]).toBe(
      'at earlier renewals, a record for the next certificate was there 12 days ahead, and now there is none',
    );
  });

  test('is forecast nothing if earlier keys return', () => {
    const again = ca.issue(on(120), { days, key: one.key });
    const both = [ofKey(one), ofKey(two)];
    const history = seenOn([1, one, both], [61, two, both], [121, again, both]);
    expect(forecastRollover(both, again, history, on(165))?.outcome).toBe('unknown');
  });

  test('is told of no break, and never that there is no other record, if keys were published beforehand', () => {
    const keys = all.map(ofKey);
    const spare = seenOn([1, one, keys], [61, two, keys]);
    expect(forecastRollover(keys, two, spare, on(110))).toBeUndefined();
    // One of them does not return, or does: nobody knows.
    const thrice = seenOn([1, one, keys], [61, two, keys], [121, three, keys]);
    const used = forecastRollover(keys, three, thrice, on(165));
    expect(used).toMatchObject({ outcome: 'unknown', isPrepared: false });
    expect(used?.evidence[1]).toBe(
      'at earlier renewals, a record for the next certificate was there 60 days ahead, and now no record was added since the last renewal',
    );
    const older = seenOn([1, one, [ofKey(one), ofKey(three)]], [50, one, keys], [61, two, keys]);
    expect(forecastRollover(keys, two, older, on(115))?.outcome).toBe('unknown');
  });

  test('is told after a renewal without such a record', () => {
    const history = seenOn(
      [1, one, [ofKey(one)]],
      [61, two, [ofKey(two)]],
      [121, three, [ofKey(two)]],
      [122, three, [ofKey(three)]],
    );
    expect(forecast(history, 165)?.outcome).toBe('breaks');
  });
});

describe('recorded days', () => {
  /** The days on which something is announced, with the day of the renewal. */
  const announced = (records: readonly TlsaRecord[], shown: Issued, history: ServedHistory) => {
    const first = Math.floor((shown.validFrom.getTime() - start) / DAY);
    const last = Math.ceil((shown.validTo.getTime() - start) / DAY) + 1;
    const found = Array.from({ length: last - first }, (_, at) => ({
      day: first + at,
      forecast: forecastRollover(records, shown, history, on(first + at)),
    })).filter(({ forecast }) => forecast !== undefined);
    const due = found[0]?.forecast?.due.getTime();
    if (due === undefined) return 'nothing';
    const outcomes = [...new Set(found.map(({ forecast }) => forecast?.outcome))].join(', then ');
    return `${outcomes} from day ${found[0]?.day} to ${found.at(-1)?.day}, due ${((due - start) / DAY).toFixed(2)}`;
  };

  test('by how long a certificate is valid', () => {
    const lifetimes = [2, 6, 9, 10, 11, 45, 90, 199, 200, 201, 397].map(
      (valid): Named<Issued> => [`${valid} days`, ca.issue(on(0), { days: valid })],
    );
    expect(
      byAnswer(lifetimes, (shown) => announced([ofLeaf(shown)], shown, nothingServed)),
    ).toMatchSnapshot();
  });

  test('by when the certificates before it were renewed', () => {
    const [key, other] = [keyPair(), keyPair()];
    const once = [20, 35, 36, 37, 60, 89, 90, 91].map((day) => [day]);
    const practices = [...once, [60, 80], [80, 60], [30, 60, 80], [36, 60], [60, 36]].map(
      (renewed): Named<readonly number[]> => [`renewed after ${renewed.join(', then ')} days`, renewed],
    );
    const answer = (renewed: readonly number[]) => {
      const starts = [
        0,
        ...renewed.map((_, at) => renewed.slice(0, at + 1).reduce((sum, days_) => sum + days_, 0)),
      ];
      const all = starts.map((day, at) => ca.issue(on(day), { days, key: at % 2 === 0 ? key : other }));
      const shown = all.at(-1);
      return shown === undefined ? '' : announced([ofLeaf(shown)], shown, historyOf(...all));
    };
    expect(byAnswer(practices, answer)).toMatchSnapshot();
  });

  test('by how long before renewals their records were there', () => {
    const all = issuedThrice();
    const [one, , three] = all;
    const next = ofKey({ key: keyPair() });
    const leads = [0, 1, 6, 9, 10, 11, 12, 20, 24, 25, 30].map(
      (ahead): Named<number> => [`${ahead} days`, ahead],
    );
    const beside = (...others: readonly TlsaRecord[]) =>
      byAnswer(leads, (ahead) => announced([ofKey(three), ...others], three, publishedAhead(all, ahead)));
    expect(beside()).toMatchSnapshot();
    expect(beside(next)).toMatchSnapshot('beside another record');
    expect(beside(ofKey(one))).toMatchSnapshot('beside an earlier record');
  });

  test('of an intermediate certificate that ends, or that is retired', () => {
    const ends = [134, 135, 149, 150, 151, 200].map(
      (day): Named<Issued> => [
        `ends on day ${day}`,
        createIssuer({ organization: 'Ending CA', intermediates: ['Last'], until: on(day) }).issue(on(0), {
          days,
        }),
      ],
    );
    expect(
      byAnswer(ends, (shown) => announced([ofIssuerWhole(shown)], shown, nothingServed)),
    ).toMatchSnapshot();
    const names = ['R12', 'E1', 'R123', 'YR1', 'XR1', 'R'].map(
      (name): Named<Issued> => [
        name,
        createIssuer({ organization: "Let's Encrypt", intermediates: [name] }).issue(on(0), { days }),
      ],
    );
    expect(byAnswer(names, (shown) => announced([ofIssuer(shown)], shown, nothingServed))).toMatchSnapshot(
      'names',
    );
  });
});

describe('an intermediate certificate', () => {
  test('that its issuer retired breaks 2 1 1 at the next renewal, without any history', () => {
    const old = createIssuer({ organization: "Let's Encrypt", intermediates: ['R12'] });
    const shown = old.issue(on(0), { days });
    expect(forecastRollover([ofIssuer(shown)], shown, nothingServed, on(50))).toMatchObject({
      outcome: 'breaks',
      evidence: [
        "the record is for R12, which Let's Encrypt does not use for new certificates since 8 Jul 2026",
      ],
    });
  });

  test('that its issuer retired breaks 2 1 1 although it survived the renewals before', () => {
    const old = createIssuer({ organization: "Let's Encrypt", intermediates: ['R12'] });
    const issued = issuedThrice(old);
    const record = ofIssuer(issued[2]);
    const history = seenOn(...issued.map((one, at) => [1 + 60 * at, one, [record]] as const));
    expect(forecastRollover([record], issued[2], history, on(165))?.outcome).toBe('breaks');
  });

  test('that is one of several of its issuer is unknown to survive, although it did once', () => {
    const present = createIssuer({ organization: "Let's Encrypt", intermediates: ['YR1'] });
    const [first, second] = [present.issue(on(0), { days }), present.issue(on(60), { days })];
    const found = forecastRollover([ofIssuer(second)], second, historyOf(first, second), on(105));
    expect(found?.outcome).toBe('unknown');
  });
});

describe('a year of renewals, checked every day', () => {
  interface Plan {
    readonly name: string;
    /** The records for a certificate, and for the key of the next one. */
    readonly records: (issued: Issued, next: { readonly key: KeyPair }) => readonly TlsaRecord[];
    readonly keepsKey?: boolean;
    /** All keys from the first day on, which certificates use in turn. */
    readonly keys?: readonly KeyPair[];
    /** Publishes these records at each renewal; otherwise after each mismatch, when reports of failures have come. */
    readonly isInStep?: boolean;
    /** Whether renewals break the records: of each issuer, or of the one that changes. */
    readonly breaks: boolean | 'changing';
    /** After how many renewals nothing is said any more; undefined if the forecast cannot know. */
    readonly quietAfter?: number;
  }

  interface Host extends Omit<Plan, 'breaks'> {
    readonly issuer: Issuer;
    readonly days: number;
    /** Days before its end on which a certificate is renewed, a few more or less each time. */
    readonly renewedWith: readonly number[];
    readonly breaks: boolean;
  }

  /** 90 days renewed with 30 left, and 45 with 15; the last one changes its intermediates in turn. */
  const issuers = [
    { issuer: ca, days: 90, renewedWith: [30, 31, 29, 30] },
    {
      issuer: createIssuer({ organization: "Let's Encrypt", intermediates: ['YE1', 'YE2', 'YE3'] }),
      ...{ days: 45, renewedWith: [15, 16, 14, 15] },
    },
  ];
  const left = { key: keyPair() };
  const fixed = (count: number) => {
    const keys = Array.from({ length: count }, keyPair);
    return { keys, records: () => keys.map((key) => ofKey({ key })), breaks: false } as const;
  };
  const plans: readonly Plan[] = [
    { name: '311 kept', records: (it) => [ofKey(it)], keepsKey: true, breaks: false, quietAfter: 1 },
    { name: '311 changed', records: (it) => [ofKey(it)], breaks: true },
    { name: '301 kept', records: (it) => [ofLeaf(it)], keepsKey: true, breaks: true },
    { name: '211', records: (it) => [ofIssuer(it)], breaks: 'changing' },
    { name: '201', records: (it) => [ofIssuerWhole(it)], breaks: 'changing' },
    { name: '311 changed beside 211', records: (it) => [ofKey(it), ofIssuer(it)], breaks: 'changing' },
    { name: '311 changed beside a stale record', records: (it) => [ofKey(it), ofKey(left)], breaks: true },
    { name: '311 in step', records: (it) => [ofKey(it)], isInStep: true, breaks: false, quietAfter: 2 },
    {
      ...{ name: '311 of this key and the next', records: (it, next) => [ofKey(it), ofKey(next)] },
      ...{ isInStep: true, breaks: false, quietAfter: 1 },
    },
    { name: '311 of spare keys', ...fixed(8) },
    { name: '311 of two keys in turns', ...fixed(2) },
  ];
  const hosts: readonly Host[] = issuers.flatMap((issuer) =>
    plans.map((plan) => ({
      ...{ ...issuer, ...plan },
      name: `${issuer.days} days, ${plan.name}`,
      breaks: plan.breaks === 'changing' ? issuer.days === 45 : plan.breaks,
    })),
  );

  /** What was announced about each renewal, how many days before it, and whether the records matched after it. */
  function liveThrough({ issuer, days: valid, renewedWith, keepsKey, keys, isInStep, records }: Host) {
    const chosen = (at: number) => ({ key: keys?.[at % keys.length] ?? keyPair() });
    let upcoming = chosen(1);
    let shown = issuer.issue(on(0), { days: valid, ...chosen(0) });
    let published = records(shown, upcoming);
    let history = nothingServed;
    let announced: { breaks?: number; unknown?: number } = {};
    const renewals: { mismatch: boolean; breaks: number; unknown: number }[] = [];
    let isNew = true;
    for (let day = 1; day <= 365; day += 1) {
      const remaining = (shown.validTo.getTime() - on(day).getTime()) / DAY;
      if (remaining <= (renewedWith[renewals.length % renewedWith.length] ?? 0)) {
        const key = keepsKey ? shown.key : upcoming.key;
        const next = issuer.issue(on(day), { days: valid, key });
        upcoming = chosen(renewals.length + 2);
        if (isInStep) published = records(next, upcoming);
        const isMatch = isDescribedBy(usableTlsa(published), next.chain);
        const ahead = (since: number | undefined) => (since === undefined ? 0 : day - since);
        const { breaks, unknown } = announced;
        renewals.push({ mismatch: !isMatch, breaks: ahead(breaks), unknown: ahead(unknown) });
        shown = next;
        isNew = true;
        announced = {};
        if (!isMatch) {
          // A check run sees the mismatch before it is mended.
          history = withShown(history, shown, usableTlsa(published), on(day));
          published = records(shown, upcoming);
        }
      }
      const found = forecastRollover(usableTlsa(published), shown, history, on(day));
      if (found !== undefined) announced[found.outcome] ??= day;
      // Reading certificates takes time, and between renewals nothing changes.
      if (Object.keys(announced).length > 0 || day % 7 === 0 || isNew)
        history = withShown(history, shown, usableTlsa(published), on(day));
      isNew = false;
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
    if (host.quietAfter !== undefined)
      expect(renewals.slice(host.quietAfter).map(({ unknown }) => unknown)).toEqual(
        renewals.slice(host.quietAfter).map(() => 0),
      );
  });
});
