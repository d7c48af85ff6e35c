/** What is kept of the certificates that hosts serve: bounded, whatever they serve. */
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  nothingServed,
  type ServedHosts,
  withObserved,
  withShown,
} from '../../../shared/protocol/served-chain.ts';
import { createIssuer, type Issued } from '../../kit/renewals.ts';

const DAY = 86_400_000;
const start = Date.parse('2026-01-01');
const on = (day: number) => new Date(start + day * DAY);
const issuer = createIssuer({ organization: 'x'.repeat(5000), intermediates: ['Steady 1'] });

const record = (data: Uint8Array) => ({
  ...{ usage: 3, selector: 1, matchingType: 1 },
  certificate: createHash('sha256').update(data).digest(),
});

function observe(before: ServedHosts, day: number, addresses: readonly string[]): ServedHosts {
  const { chain: sent, ...validity } = issuer.issue(on(day), { days: 90 });
  const long = {
    ...validity,
    chain: [...sent, ...Array.from({ length: 5 }, () => sent[1] ?? Uint8Array.of())],
  };
  const records = Array.from({ length: 10 }, (_, at) => ({
    ...{ usage: 3, selector: 1, matchingType: 1 },
    certificate: createHash('sha256').update(`${day} ${at}`).digest(),
  }));
  return withObserved(
    before,
    addresses.map((address) => ({ host: 'mx.example.org', address, shown: long, records })),
    on(day),
  );
}

test('four chains and eight records of each of twenty addresses, those that were seen last', () => {
  const addresses = Array.from({ length: 30 }, (_, at) => `192.0.2.${at}`);
  let history: ServedHosts = [];
  for (let day = 0; day < 6; day += 1) history = observe(history, day, addresses.slice(day * 5, day * 5 + 5));
  expect(history.map(({ address }) => address)).not.toContain('192.0.2.0');
  for (let day = 6; day < 12; day += 1) history = observe(history, day, ['192.0.2.29']);
  expect(history).toHaveLength(20);
  const [latest] = history;
  expect([latest?.address, latest?.chains.map(({ first }) => first.slice(8, 10))]).toEqual([
    '192.0.2.29',
    ['09', '10', '11', '12'],
  ]);
  expect(latest?.chains[0]?.issuers).toHaveLength(3);
  expect(latest?.records).toHaveLength(8);
  expect(JSON.stringify(history).length).toBeLessThan(60_000);
});

test('of more than eight records, those that match and the newest are kept, so that these have a lead', () => {
  const ofKey = ({ key }: Issued) => record(key.publicKey.export({ type: 'spki', format: 'der' }));
  const [one, two] = [0, 60].map((day) => issuer.issue(on(day), { days: 90 })) as [Issued, Issued];
  const stale = Array.from({ length: 9 }, (_, at) => record(Uint8Array.of(at)));
  const runs: readonly [number, Issued, readonly Issued[]][] = [
    [1, one, [one]],
    [40, one, [one, two]],
    [41, one, [one, two]],
    [61, two, [one, two]],
  ];
  const { chains, records } = runs.reduce(
    (before, [day, shown, of]) => withShown(before, shown, [...stale, ...of.map(ofKey)], on(day)),
    nothingServed,
  );
  expect(chains.map(({ recordedSince }) => recordedSince)).toEqual(
    [on(1), on(40)].map((at) => at.toISOString()),
  );
  expect(records).toHaveLength(8);
});

test('records have no order in DNS, and one in the history', () => {
  const records = [5, 1, 4].map((octet) => record(Uint8Array.of(octet)));
  const shown = issuer.issue(on(0), { days: 90 });
  expect(withShown(nothingServed, shown, records, on(1))).toEqual(
    withShown(nothingServed, shown, records.toReversed(), on(1)),
  );
});

test('an address that was not seen for longer than certificates are valid is forgotten', () => {
  const history = observe(observe([], 0, ['192.0.2.1']), 401, ['192.0.2.2']);
  expect(history.map(({ address }) => address)).toEqual(['192.0.2.2']);
});
