/** The limits of strangers, counted on a real table. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Network } from '../../../../shared/network/ports.ts';
import { limitCheckContext } from '../../../../shared/operations/limits/contacts.ts';
import { countDomainRun } from '../../../../shared/operations/limits/domain-runs.ts';
import { countSavedBytes } from '../../../../shared/operations/limits/save-result.ts';
import type { Refused } from '../../../../shared/operations/outcome.ts';
import { rateStore } from '../../../../shared/store/rates/rates.ts';
import type { EmptyTable } from '../../../kit/table.ts';
import { useTable } from '../../../kit/use-table.ts';
import { fakeWeb } from '../../../kit/web.ts';
import { zone } from '../../../kit/zone.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let table: EmptyTable;
let now: Date;

beforeEach(async () => {
  now = new Date('2026-03-01T06:00:00Z');
  table = await useTable({ now: () => now });
});

const dependencies = () => ({ limits: rateStore(table), clock: { now: () => now } });
const pass = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds);
};

/** The outcome of each call, in order: `ok`, or the code of its refusal, and the milliseconds until the next one is allowed. */
async function outcomes(calls: readonly (() => Promise<Refused | undefined>)[]): Promise<string[]> {
  const settled: string[] = [];
  for (const call of calls) {
    const refused = await call();
    settled.push(refused === undefined ? 'ok' : `${refused.code} ${refused.retryAfterMilliseconds}`);
  }
  return settled;
}

const times = <T>(number: number, value: T): T[] => Array.from({ length: number }, () => value);

describe('check runs of a registrable domain', () => {
  const run =
    (domain: string, kind: 'anonymous' | 'organization' | 'spf' = 'anonymous') =>
    () =>
      countDomainRun(domain, kind, dependencies());

  test('are ten per minute for all names below it, which a wildcard zone does not help', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `n${at}.deep.example.org`);
    expect(await outcomes(names.map((name) => run(name)))).toEqual([
      ...times(10, 'ok'),
      ...times(2, 'rate_limited 60000'),
    ]);
    expect(await outcomes([run('example.org'), run('example.net')])).toEqual(['rate_limited 60000', 'ok']);
    pass(MINUTE);
    expect(await outcomes([run('example.org')])).toEqual(['ok']);
  });

  test('are counted apart for the customers of a suffix in the private section of the list', async () => {
    await outcomes(times(10, run('one.github.io')));
    expect(await outcomes([run('a.one.github.io'), run('two.github.io')])).toEqual([
      'rate_limited 60000',
      'ok',
    ]);
  });

  test('of SPF records are sixty per minute, apart from those of all checks', async () => {
    const names = Array.from({ length: 61 }, (_, at) => `n${at}.example.org`);
    expect(await outcomes(names.map((name) => run(name, 'spf')))).toEqual([
      ...times(60, 'ok'),
      'rate_limited 60000',
    ]);
    expect(await outcomes([run('example.org')])).toEqual(['ok']);
  });

  test('of anonymous callers leave as many for organizations', async () => {
    await outcomes(times(12, run('example.org')));
    expect(await outcomes(times(11, run('a.example.org', 'organization')))).toEqual([
      ...times(10, 'ok'),
      'rate_limited 60000',
    ]);
  });
});

describe('connections to one address', () => {
  /** How many of `runs` check runs may contact each of `addresses`. */
  async function allowed(kind: 'smtp' | 'https' | 'dns', addresses: readonly string[], runs: number) {
    let contacts = 0;
    const contact = async (address: string, mayContact?: (address: string) => Promise<boolean>) => {
      if (await mayContact?.(address)) contacts += 1;
    };
    const network: Network = {
      dns: zone({}),
      clock: { now: () => now },
      web: {
        async get(request) {
          for (const address of addresses) await contact(address, request.mayContact);
          return fakeWeb({}).get(request);
        },
      },
      smtp: {
        async probe({ hostname, address, mayContact }) {
          await contact(address, mayContact);
          const evidence = { hostname, address, milliseconds: 0 };
          return { status: 'unavailable', reason: 'timeout', detail: '', evidence };
        },
      },
      authorities: {
        async ask(_server, _name, _type, mayContact) {
          for (const address of addresses) await contact(address, mayContact);
          return { status: 'absent' };
        },
      },
    };
    for (let run = 0; run < runs; run += 1) {
      const limited = limitCheckContext({ network, trustAnchors: [] }, dependencies()).network;
      const limit = { timeoutMilliseconds: 1000 };
      if (kind === 'smtp')
        for (const address of addresses)
          await limited.smtp.probe({ hostname: 'mx.example', address, ...limit });
      if (kind === 'https') await limited.web.get({ url: 'https://example.org/', maxBytes: 1, ...limit });
      if (kind === 'dns') await limited.authorities?.ask('ns.example', 'example.org', 'MX');
    }
    return contacts;
  }

  test.each([
    ['smtp', 30],
    ['https', 30],
    ['dns', 120],
  ] as const)('by %s are limited to %s per minute, whatever runs they belong to', async (kind, limit) => {
    expect(await allowed(kind, ['192.0.2.1'], limit + 10)).toBe(limit);
    expect(await allowed(kind, ['192.0.2.2'], 1)).toBe(1);
    pass(MINUTE);
    expect(await allowed(kind, ['192.0.2.1'], 1)).toBe(1);
  });

  test('count the addresses of a /64 network as one', async () => {
    const addresses = Array.from({ length: 5 }, (_, at) => `2001:db8:1:1::${at}`);
    expect(await allowed('smtp', addresses, 10)).toBe(30);
    expect(await allowed('smtp', ['2001:db8:1:2::1'], 1)).toBe(1);
  });

  test('that a run may not open for itself are not counted for others', async () => {
    const addresses = Array.from({ length: 20 }, () => '192.0.2.1');
    expect(await allowed('smtp', addresses, 2)).toBe(20);
    expect(await allowed('smtp', ['192.0.2.1'], 20)).toBe(10);
  });
});

describe('saved results', () => {
  const save = (client: string, bytes: number) => () => countSavedBytes(client, bytes, dependencies());

  test('of one client are limited to 2 MB in 24 hours, and those of its site (IPv6: /48) count together', async () => {
    const half = 1_000_000;
    expect(
      await outcomes([
        save('2001:db8::1', half),
        save('2001:db8:0:1::2', half),
        save('2001:db8::3', 1),
        save('2001:db8:1::1', 1),
      ]),
    ).toEqual(['ok', 'ok', expect.stringMatching(/^rate_limited \d+$/), 'ok']);
    pass(25 * HOUR);
    expect(await outcomes([save('2001:db8::1', half)])).toEqual(['ok']);
  });

  test('of all clients are limited to 200 MB in 24 hours', async () => {
    const clients = Array.from({ length: 101 }, (_, at) => `192.0.2.${at}`);
    expect(await outcomes(clients.map((client) => save(client, 2_000_000)))).toEqual([
      ...times(100, 'ok'),
      expect.stringMatching(/^rate_limited \d+$/),
    ]);
  });

  test('beyond the limit can be saved after Retry-After', async () => {
    await outcomes([save('192.0.2.1', 2_000_000)]);
    pass(HOUR);
    const [outcome = ''] = await outcomes([save('192.0.2.1', 1)]);
    const milliseconds = Number(outcome.split(' ')[1]);
    expect(milliseconds).toBeGreaterThan(22.5 * HOUR);
    expect(milliseconds).toBeLessThanOrEqual(23 * HOUR);
    pass(milliseconds);
    expect(await outcomes([save('192.0.2.1', 1)])).toEqual(['ok']);
  });
});
