import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../shared/network/clock.ts';
import { withDeadline } from '../../../shared/network/deadline.ts';
import type { Network } from '../../../shared/network/ports.ts';
import { zone } from '../../kit/zone.ts';

const never = () => new Promise<never>(() => undefined);
const silent: Network = {
  dns: { lookup: never },
  web: { get: never },
  smtp: { probe: never },
  clock: systemClock,
};
const calls: [string, (network: Network) => Promise<object>, object][] = [
  ['a lookup', ({ dns }) => dns.lookup('example.org', 'A'), {}],
  [
    'a GET',
    ({ web }) => web.get({ url: 'https://example.org/', maxBytes: 1, timeoutMilliseconds: 1 }),
    { url: 'https://example.org/' },
  ],
  [
    'a probe',
    ({ smtp }) => smtp.probe({ hostname: 'mx.test', address: '192.0.2.1', timeoutMilliseconds: 1 }),
    { hostname: 'mx.test', address: '192.0.2.1' },
  ],
];

describe('a network with a deadline', () => {
  test.each(calls)('%s in progress ends at the deadline', async (_title, call, evidence) => {
    const deadline = new AbortController();
    setTimeout(() => deadline.abort(), 20);
    expect(await call(withDeadline(silent, deadline.signal))).toMatchObject({
      status: 'unavailable',
      reason: 'deadline',
      evidence,
    });
  });

  test.each(calls)('%s after the deadline ends at once', async (_title, call) => {
    expect(await call(withDeadline(silent, AbortSignal.abort()))).toMatchObject({
      status: 'unavailable',
      reason: 'deadline',
    });
  });

  test('a query to a name server ends at the deadline too', async () => {
    const network = withDeadline({ ...silent, authorities: { ask: never } }, AbortSignal.abort());
    const answer = await network.authorities?.ask('ns.example.org', 'example.org', 'MX');
    expect(answer).toMatchObject({ status: 'unavailable' });
    expect(withDeadline(silent, AbortSignal.abort()).authorities).toBeUndefined();
  });

  test('a response before the deadline is returned', async () => {
    const network = { ...silent, dns: zone({ 'example.org': { A: ['192.0.2.1'] } }) };
    expect(
      await withDeadline(network, new AbortController().signal).dns.lookup('example.org', 'A'),
    ).toMatchObject({ status: 'found' });
  });
});
