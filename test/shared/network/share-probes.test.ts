import { describe, expect, test } from '@jest/globals';
import type { Smtp, SmtpAnswer, SmtpProbeRequest } from '../../../shared/network/ports.ts';
import { SHARE_LIMITS, shareProbes } from '../../../shared/network/share-probes.ts';

type WithoutEvidence<T> = T extends unknown ? Omit<T, 'evidence'> : never;
type Says = WithoutEvidence<SmtpAnswer>;

const accepts: Says = {
  status: 'found',
  starttls: { status: 'not-offered' },
  recipient: 'not-asked',
};
const timeout: Says = { status: 'unavailable', reason: 'timeout', detail: '' };
const refused: Says = { status: 'rejected', reason: 'greeting', detail: '554 no' };

/** Hosts behind a shared Smtp, an adjustable clock, and the dialled addresses. */
function world(says: Says = accepts, limits = {}) {
  const dialled: SmtpProbeRequest[] = [];
  let now = 0;
  let inside = 0;
  let most = 0;
  const smtp: Smtp = {
    async probe(request) {
      dialled.push(request);
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
      const { hostname, address, recipient } = request;
      const isTested = says.status === 'found' && recipient !== undefined;
      const reply = isTested ? `550 no such mailbox: ${recipient}` : '220 mx';
      const evidence = { hostname, address, milliseconds: 5, reply };
      return { ...says, ...(isTested ? { recipient: 'rejected' } : {}), evidence } as SmtpAnswer;
    },
  };
  const shared = shareProbes(smtp, { now: () => new Date(now) }, { ...SHARE_LIMITS, ...limits });
  const probe = (
    recipient?: string,
    address = '192.0.2.1',
    hostname = 'mx.example.org',
    more: Partial<SmtpProbeRequest> = {},
  ) =>
    shared.probe({
      ...more,
      hostname,
      address,
      timeoutMilliseconds: 15_000,
      ...(recipient === undefined ? {} : { recipient }),
    });
  const wait = (seconds: number) => {
    now += seconds * 1000;
  };
  return { probe, dialled, wait, most: () => most };
}

const domains = Array.from({ length: 50 }, (_, index) => `postmaster@d${index}.example`);

describe('what a host reports about itself', () => {
  test('is probed once for fifty concurrent domains', async () => {
    const { probe, dialled } = world();
    const answers = await Promise.all(domains.map(() => probe()));
    expect(dialled).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['found']));
  });

  test('is probed again for whom it trusts, and that once', async () => {
    const { probe, dialled } = world();
    const anchors = [[Buffer.from('one')], [Buffer.from('one')], [Buffer.from('other')]];
    await probe();
    for (const trustAnchors of anchors) await probe(undefined, undefined, undefined, { trustAnchors });
    expect(dialled.map(({ trustAnchors }) => String(trustAnchors))).toEqual(['undefined', 'one', 'other']);
  });

  test('is probed once for fifty domains in sequence, and later results are marked as shared', async () => {
    const { probe, dialled } = world();
    const first = await probe();
    for (const _ of domains)
      expect((await probe()).evidence).toMatchObject({ fromCache: true, reply: '220 mx' });
    expect(first.evidence).not.toHaveProperty('fromCache');
    expect(dialled).toHaveLength(1);
  });

  test('is probed again after five minutes', async () => {
    const { probe, dialled, wait } = world();
    await probe();
    wait(299);
    await probe();
    expect(dialled).toHaveLength(1);
    wait(1);
    await probe();
    expect(dialled).toHaveLength(2);
    // The clock was set back.
    wait(-1);
    await probe();
    expect(dialled).toHaveLength(3);
  });

  test.each<[string, string, string]>([
    ['address', '192.0.2.2', 'mx.example.org'],
    ['name', '192.0.2.1', 'mx.example.net'],
  ])('is probed for each %s', async (_, address, hostname) => {
    const { probe, dialled } = world();
    await probe();
    await probe(undefined, address, hostname);
    expect(dialled).toHaveLength(2);
  });

  test('is cached if it is a refusal', async () => {
    const { probe, dialled } = world(refused);
    await probe();
    expect(await probe()).toMatchObject({ status: 'rejected', evidence: { fromCache: true } });
    expect(dialled).toHaveLength(1);
  });

  test('is not cached without a response', async () => {
    const { probe, dialled } = world(timeout);
    await Promise.all([probe(), probe()]);
    await probe();
    expect(dialled).toHaveLength(2);
  });

  test('is cached for the 500 hosts that were dialled last', async () => {
    const { probe, dialled } = world();
    await Promise.all(Array.from({ length: 500 }, (_, at) => probe(undefined, `host ${at}`)));
    await probe('a@example.org', 'host 0');
    for (const at of [500, 0, 2, 1]) await probe(undefined, `host ${at}`);
    expect(dialled.slice(500).map(({ address }) => address)).toEqual(['host 0', 'host 500', 'host 1']);
  });
});

describe('whether a mailbox is accepted', () => {
  test('is tested for each domain, even if the host is cached', async () => {
    const { probe, dialled } = world();
    await probe();
    const answers = await Promise.all(domains.map((recipient) => probe(recipient)));
    expect(dialled.slice(1).map(({ recipient }) => recipient)).toEqual(domains);
    expect(answers.map(({ evidence }) => evidence.reply)).toEqual(
      domains.map((recipient) => `550 no such mailbox: ${recipient}`),
    );
  });

  test('is tested once for concurrent requests, and again later', async () => {
    const { probe, dialled } = world();
    await Promise.all([probe('a@example.org'), probe('a@example.org')]);
    expect(dialled).toHaveLength(1);
    await probe('a@example.org');
    expect(dialled).toHaveLength(2);
  });

  test.each<[string, boolean]>([
    ['in progress', false],
    ['done', true],
  ])('shares the host result while the test is %s, but not the mailbox result', async (_, done) => {
    const { probe, dialled } = world();
    const first = probe('a@example.org');
    if (done) await first;
    const answer = await probe();
    expect(answer).toMatchObject({ status: 'found', recipient: 'not-asked' });
    expect(JSON.stringify(answer)).not.toContain('a@example.org');
    expect(await first).toMatchObject({ recipient: 'rejected' });
    expect(dialled).toHaveLength(1);
  });
});

describe('an address', () => {
  test('gets at most five connections at once', async () => {
    const { probe, dialled, most } = world();
    const first = domains.slice(10).map((recipient) => probe(recipient));
    await first[0];
    await Promise.all([...first, ...domains.slice(0, 10).map((recipient) => probe(recipient))]);
    expect(dialled).toHaveLength(50);
    expect(most()).toBe(5);
  });

  test('is not dialled for callers whose time has run out', async () => {
    const given: number[] = [];
    const slow: Smtp = {
      async probe({ hostname, address, timeoutMilliseconds }) {
        given.push(timeoutMilliseconds);
        await new Promise((resolve) => setTimeout(resolve, 60));
        return { ...timeout, evidence: { hostname, address, milliseconds: 60 } } as SmtpAnswer;
      },
    };
    const shared = shareProbes(slow, { now: () => new Date() }, { ...SHARE_LIMITS, connections: 1 });
    const answers = await Promise.all(
      [50, 50, 50, 10_000].map((timeoutMilliseconds, at) =>
        shared.probe({
          hostname: 'mx.example.org',
          address: '192.0.2.1',
          timeoutMilliseconds,
          recipient: `${at}@example.org`,
        }),
      ),
    );
    const [tried, late] = [{ reason: 'timeout' }, { reason: 'deadline' }];
    expect(answers).toMatchObject([tried, late, late, tried]);
    expect(given).toEqual([50, expect.any(Number)]);
    expect(given[1]).toBeLessThan(10_000);
  });
});

describe('a check run that may open no more connections', () => {
  /** A host that is dialled only if the request allows it. */
  const limitedSmtp = (dialled: string[]): Smtp => ({
    async probe({ hostname, address, mayContact }) {
      const evidence = { hostname, address, milliseconds: 0 };
      await new Promise((resolve) => setTimeout(resolve, 5));
      if ((await mayContact?.(address)) === false)
        return { status: 'unavailable', reason: 'connection-limit', detail: '', evidence };
      dialled.push(address);
      return { ...accepts, evidence } as SmtpAnswer;
    },
  });
  const request = { hostname: 'mx.example.org', address: '192.0.2.1', timeoutMilliseconds: 15_000 };
  const limited = { ...request, mayContact: async () => false };

  test.each([undefined, 'postmaster@example.org'])(
    'does not stop another run (recipient %s)',
    async (recipient) => {
      const dialled: string[] = [];
      const shared = shareProbes(limitedSmtp(dialled), { now: () => new Date(0) });
      const to = recipient === undefined ? {} : { recipient };
      const [first, second] = await Promise.all([
        shared.probe({ ...limited, ...to }),
        shared.probe({ ...request, ...to }),
      ]);
      expect(first).toMatchObject({ status: 'unavailable', reason: 'connection-limit' });
      expect([second.status, dialled]).toEqual(['found', ['192.0.2.1']]);
    },
  );

  test('uses what another run found', async () => {
    const dialled: string[] = [];
    const shared = shareProbes(limitedSmtp(dialled), { now: () => new Date(0) });
    await shared.probe(request);
    expect((await shared.probe(limited)).status).toBe('found');
    expect(dialled).toEqual(['192.0.2.1']);
  });
});
