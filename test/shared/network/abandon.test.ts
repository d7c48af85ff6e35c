import { describe, expect, test } from '@jest/globals';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import {
  Abandoned,
  abandonment,
  stoppableDns,
  throwIfAbandoned,
  whileWanted,
} from '../../../shared/network/abandon.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { smtpOff } from '../../../shared/network/smtp-off.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';

/** Never answers, and counts the lookups. */
function silentDns() {
  let lookups = 0;
  const dns: Dns = {
    lookup() {
      lookups += 1;
      return new Promise(() => undefined);
    },
  };
  return { dns, lookups: () => lookups };
}

describe('work that nobody waits for', () => {
  test('gets no answers to lookups', async () => {
    const { dns } = silentDns();
    const gone = new AbortController();
    const answer = whileWanted(gone.signal, () => stoppableDns(dns).lookup('a.test', 'A'));
    gone.abort();
    expect(await answer).toMatchObject({ status: 'unavailable', reason: 'deadline' });
  });

  test('ends a check run at once, without a result and without further lookups', async () => {
    const { dns, lookups } = silentDns();
    const gone = new AbortController();
    const network = {
      dns,
      smtp: smtpOff,
      clock: systemClock,
      web: { get: () => new Promise<never>(() => undefined) },
    };
    const domain = { domain: 'a.test', testEmailLocalPart: null, knownSelectors: [] };
    const run = whileWanted(gone.signal, () => inspectDomain(domain, { network, trustAnchors: [] }));
    const before = lookups();
    gone.abort();
    await expect(run).rejects.toThrow(Abandoned);
    expect(lookups()).toBe(before);
  });

  test('is told apart from work that somebody waits for', async () => {
    expect(abandonment()).toBeUndefined();
    throwIfAbandoned();
    const { signal } = new AbortController();
    await whileWanted(signal, async () => {
      expect(abandonment()).toBe(signal);
      throwIfAbandoned();
    });
  });
});
