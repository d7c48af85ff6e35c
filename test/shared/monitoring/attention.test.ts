/** The attention items that check runs of a verified domain open and close. */

import { createHash, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { factsOf } from '../../../shared/alerts/facts.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { conditionsOf, unknownSinceOf } from '../../../shared/monitoring/attention.ts';
import { type CheckRunDependencies, performCheckRun } from '../../../shared/monitoring/run-checks.ts';
import type { Network } from '../../../shared/network/ports.ts';
import type { Finding } from '../../../shared/protocol/findings/finding.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { seenSelectorStore } from '../../../shared/store/check-runs/seen-selectors.ts';
import { sharedKeyWrites } from '../../../shared/store/check-runs/shared-keys.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import type { Table } from '../../../shared/store/table.ts';
import { rememberSelectors } from '../../kit/alongside.ts';
import { announceItems, changesOn, itemEvents, openItem, openItems } from '../../kit/attention.ts';
import { checkRunAt, checkRunStores } from '../../kit/check-runs.ts';
import { ed25519Key } from '../../kit/dkim-signer.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { createIssuer } from '../../kit/renewals.ts';
import {
  arrival,
  dmarcReport,
  registerDomain,
  registeredDomain,
  row,
  storeDmarc,
  verifiedDomain,
} from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';

const HOUR = 3_600_000;
const start = Date.parse('2026-01-05T08:00:00.000Z');
const later = (hours: number) => new Date(start + hours * HOUR);

let domain: Domain;
let isReady: boolean;

const table = await useTable();
beforeEach(async () => {
  domain = await verifiedDomain(table, later(0));
  isReady = true;
  await announceItems(table, domain.organization);
});

const good: ZoneLiteral = {
  'example.org': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
};
const twoSpf: ZoneLiteral = {
  ...good,
  'example.org': { MX: [[0, '.']], TXT: ['v=spf1 -all', 'v=spf1 ~all'] },
};
const both: ZoneLiteral = { ...twoSpf, '_dmarc.example.org': { TXT: ['v=DMARC1; p=sometimes'] } };
const down: ZoneLiteral = {
  'example.org': 'SERVFAIL',
  '_dmarc.example.org': 'SERVFAIL',
  '_mta-sts.example.org': 'SERVFAIL',
  '_smtp._tls.example.org': 'SERVFAIL',
  'default._bimi.example.org': 'SERVFAIL',
};
const spfDown: ZoneLiteral = { ...good, 'example.org': { MX: [[0, '.']], TXT: 'SERVFAIL' } };

const depsOn = (on: Table): CheckRunDependencies => ({
  ...checkRunStores(on),
  isReady: async () => isReady,
});

/** A check run with these records, that many hours after the first one. */
async function check(hours: number, zones: ZoneLiteral, on: Table = table, of = domain): Promise<void> {
  await performCheckRun(of, depsOn(on), checkRunAt(later(hours), zones));
}

const open = () => openItems(table, domain.organization);
const kinds = async () => (await open()).map(([kind]) => kind);
const events = () => itemEvents(table, { domain: domain.id });

describe('check-failing', () => {
  test('opens with the errors of the first check run, and closes when two runs agree that they are gone', async () => {
    await check(0, twoSpf);
    await check(24, twoSpf);
    expect([await open(), await events()]).toEqual([
      [['check-failing', 'critical', 'SPF']],
      ['attention.opened check-failing'],
    ]);
    await check(48, good);
    expect(await kinds()).toEqual(['check-failing']);
    await check(49, good);
    expect([await open(), await events()]).toEqual([
      [],
      ['attention.closed check-failing', 'attention.opened check-failing'],
    ]);
  });

  test('opens with errors that two check runs agree on, and not with one that lasted a minute', async () => {
    for (const [hours, zones] of [
      [0, good],
      [24, twoSpf],
      [25, good],
      [48, good],
    ] as const)
      await check(hours, zones);
    expect([await open(), await events()]).toEqual([[], []]);
    await check(72, twoSpf);
    await check(73, twoSpf);
    await check(96, both);
    await check(97, both);
    expect([await open(), await events()]).toEqual([
      [['check-failing', 'critical', 'SPF, DMARC']],
      ['attention.opened check-failing'],
    ]);
  });

  test('stays open while lookups fail, and does not open because they do', async () => {
    await check(0, twoSpf);
    for (const hours of [24, 25, 48]) await check(hours, down);
    expect(await open()).toEqual([['check-failing', 'critical', 'SPF']]);
  });

  test('does not open for a domain that is not verified', async () => {
    const unverified = await registeredDomain(table, 'example.org');
    await check(0, twoSpf, table, unverified);
    expect(await openItems(table, unverified.organization)).toEqual([]);
  });

  test('is a warning if no mail is refused because of the errors', () => {
    const finding: Finding = { id: 'tls-rpt-multiple-records', severity: 'error', arguments: {} };
    expect(conditionsWith({ tlsRpt: { state: 'fail', findings: [finding] } })['check-failing']).toMatchObject(
      {
        ...{ severity: 'warning', about: { names: ['TLS-RPT'] } },
      },
    );
  });

  test.each(Array.from({ length: 4 }, (_, at) => at + 1))(
    'opens and closes once if a worker dies at write %i of a check run',
    async (write) => {
      for (const when of ['before', 'after'] as const)
        await unlessItDies(check(0, twoSpf, dyingAt(table, write, when)));
      await check(1, twoSpf);
      expect([await kinds(), await events()]).toEqual([
        ['check-failing'],
        ['attention.opened check-failing'],
      ]);
      await check(24, good);
      for (const when of ['before', 'after'] as const)
        await unlessItDies(check(25, good, dyingAt(table, write, when)));
      await check(26, good);
      await check(27, good);
      expect([await kinds(), await events()]).toEqual([
        [],
        ['attention.closed check-failing', 'attention.opened check-failing'],
      ]);
    },
  );

  test('is not decided by a check run that ends after a later one', async () => {
    await check(0, good);
    const changes = changesOn(table);
    const overtaken = {
      ...depsOn(table),
      attention: {
        ...changes,
        open: async (id: string) => {
          const before = await changes.open(id);
          await check(2, good);
          return before;
        },
      },
    };
    await openItem(table, domain, 'check-failing', later(0).toISOString());
    isReady = false;
    await performCheckRun(domain, overtaken, checkRunAt(later(1), good));
    // The later run closed it; the earlier one, which saw it open, did not announce that again.
    expect([await kinds(), await events()]).toEqual([[], ['attention.closed check-failing']]);
  });
});

describe('lookups-failing', () => {
  test('opens when check runs have had no result for 72 hours, and closes with the first one', async () => {
    await check(0, good);
    for (const hours of [24, 48, 72, 95]) await check(hours, spfDown);
    expect(await open()).toEqual([]);
    await check(96, spfDown);
    await check(120, spfDown);
    expect([await open(), await events()]).toEqual([
      [['lookups-failing', 'warning', 'SPF']],
      ['attention.opened lookups-failing'],
    ]);
    await check(121, good);
    expect([await open(), await events()]).toEqual([
      [],
      ['attention.closed lookups-failing', 'attention.opened lookups-failing'],
    ]);
  });

  test('counts anew after a result, for each check, and for a domain that never had one', async () => {
    for (const hours of [0, 71]) await check(hours, down);
    await check(72, good);
    for (const hours of [73, 144]) await check(hours, down);
    expect(await open()).toEqual([]);
    await check(145, down);
    expect(await open()).toEqual([
      ['lookups-failing', 'warning', 'MX, SPF, DMARC, MTA-STS, TLS-RPT, BIMI, CAA'],
    ]);
    await check(146, spfDown);
    expect(await open()).toEqual([['lookups-failing', 'warning', 'SPF']]);
  });

  test('does not trust a time that is ahead, and leaves out mail servers that the service never connects to', () => {
    const unknown = { state: 'unknown', findings: [] } as const;
    const results = { ...perfectResults('parked'), spf: { ...perfectResults('parked').spf, ...unknown } };
    const ahead = { unknownSince: { spf: later(500).toISOString() } };
    expect(unknownSinceOf(results, ahead, later(1))).toEqual({ spf: later(1).toISOString() });
    const notProbed: Finding = { id: 'mx-port-25-not-asked', severity: 'warning', arguments: {} };
    const mx = { ...results.mx, state: 'unknown', findings: [notProbed] } as const;
    expect(unknownSinceOf({ ...results, mx }, undefined, later(1))).not.toHaveProperty('mx');
  });
});

describe('expiring', () => {
  const certificate = (id: string, host: string | undefined, date: string): Finding => ({
    ...{ id, severity: 'notice', subject: '192.0.2.1' },
    arguments: { ...(host !== undefined && { host, ip: '192.0.2.1' }), date },
  });

  test('names the hosts of certificates that should have been renewed, and the first day', () => {
    const findings = [
      certificate('mx-certificate-expiring', 'mx2.example.org', '2026-01-09'),
      certificate('mx-certificate-expired', 'mx1.example.org', '2026-01-04'),
    ];
    const { expiring } = conditionsWith({
      mx: { state: 'warning', findings },
      mtaSts: {
        state: 'pass',
        findings: [certificate('mta-sts-policy-certificate-expiring', 'mta-sts.example.org', '2026-01-15')],
      },
      bimi: { state: 'pass', findings: [certificate('bimi-evidence-expiring', undefined, '2026-02-01')] },
    });
    expect(expiring).toMatchObject({
      about: {
        names: ['mx2.example.org', 'mx1.example.org', 'mta-sts.example.org', 'the mark certificate'],
        on: '2026-01-04',
      },
    });
  });

  test('does not hold without such a finding', () => {
    const findings = [certificate('mx-certificate-name', 'mx1.example.org', '2026-01-09')];
    expect(conditionsWith({ mx: { state: 'warning', findings } }).expiring).toBeNull();
  });
});

describe('ready-for-next-step', () => {
  beforeEach(() => openItem(table, domain, 'ready-for-next-step', later(0).toISOString()));

  test('stays open while the assessment holds, and closes when a check run sees that it does not', async () => {
    await check(1, good);
    expect(await kinds()).toEqual(['ready-for-next-step']);
    isReady = false;
    await check(2, good);
    await check(3, good);
    expect([await kinds(), await events()]).toEqual([[], ['attention.closed ready-for-next-step']]);
  });
});

describe('a domain that nobody owns', () => {
  const registry = { SOA: [{ mname: 'ns.test', rname: 'admin.test', serial: 1, minimum: 60 }] };
  const dangling: ZoneLiteral = {
    ...good,
    '_smtp._tls.example.org': { CNAME: ['reports.gone.test'] },
    test: registry,
  };

  test('opens a critical item and an alert when two runs agree, and not while a lookup fails', async () => {
    await check(0, good);
    for (const hours of [24, 25]) await check(hours, { ...dangling, 'gone.test': 'SERVFAIL' });
    expect(await kinds()).toEqual([]);
    await check(48, dangling);
    expect(await kinds()).toEqual([]);
    await check(49, dangling);
    expect(await open()).toEqual([['takeover', 'critical', 'gone.test']]);
    const { alerts } = await alertStore(table, { retentionDays: 0 }).list(
      domain.organization,
      { unreadOnly: false },
      { page: 1, limit: 10 },
      later(50),
    );
    expect(alerts.map(({ severity, title }) => [severity, title])).toEqual([
      ['critical', 'TLS-RPT relies on a domain that nobody owns: example.org'],
    ]);
    for (const hours of [72, 73]) await check(hours, good);
    expect(await kinds()).toEqual([]);
  });
});

describe('a TLSA record that the next renewal breaks', () => {
  const DAYS = 24;
  const issuer = createIssuer({ organization: 'Steady CA', intermediates: ['Steady 1'] });
  const at = (day: number) => later(day * DAYS);
  const issued = [0, 60, 120].map((day) => issuer.issue(at(day), { days: 90 }));

  /** A check run on that day: the host serves the certificate of that time; its record follows some days later. */
  async function run(day: number, recordedLater = 0): Promise<void> {
    const shown = issued[Math.floor(day / 60)];
    const recorded = issued[Math.floor((day - recordedLater) / 60)];
    if (shown === undefined || recorded === undefined) throw new Error('nothing is served');
    const { chain, validFrom, validTo } = shown;
    const spki = recorded.key.publicKey.export({ type: 'spki', format: 'der' });
    const record = {
      usage: 3,
      selector: 1,
      matchingType: 1,
      certificate: createHash('sha256').update(spki).digest(),
    };
    const zones = {
      ...good,
      'example.org': { MX: [[10, 'mx.example.org']], TXT: ['v=spf1 mx -all'] },
      'mx.example.org': { A: ['192.0.2.1'] },
      '_25._tcp.mx.example.org': { TLSA: [record] },
    } satisfies ZoneLiteral;
    const certificate = { chain, validFrom, validTo, trusted: true, matchesName: true };
    const smtp: Network['smtp'] = {
      probe: async ({ hostname, address }) => ({
        status: 'found',
        starttls: {
          status: 'established',
          protocol: 'TLSv1.3',
          cipher: 'TLS_AES_256_GCM_SHA384',
          certificate,
        },
        recipient: 'not-asked',
        evidence: { hostname, address, milliseconds: 1 },
      }),
    };
    const { now, checkContext } = checkRunAt(at(day), zones, { smtp });
    await performCheckRun(domain, depsOn(table), {
      now,
      checkContext: {
        ...checkContext,
        validatorOver: (validator) => ({
          ...(checkContext.validatorOver?.(validator) ?? validator),
          authenticate: async () => ({ status: 'secure', reasons: [] }),
        }),
      },
    });
  }

  test('opens an item three weeks before, from the history that check runs keep', async () => {
    for (const day of [3, 59, 61, 63, 98]) await run(day, 3);
    expect(await kinds()).toEqual([]);
    for (const day of [100, 110]) await run(day, 3);
    expect(await open()).toEqual([['tlsa-rollover', 'warning', 'mx.example.org']]);
  });

  test('is not forecast for a host whose record came with each new certificate', async () => {
    const forecasts = async () =>
      (await checkStore(table).latest(domain.id))?.results.mx.findings
        .map(({ id }) => id)
        .filter((id) => id.startsWith('mx-tlsa'));
    for (const day of [1, 59, 61, 110]) await run(day);
    expect(await forecasts()).toEqual(['mx-tlsa-renewal-unknown']);
    for (const day of [121, 170]) await run(day);
    expect([await forecasts(), await kinds()]).toEqual([[], []]);
  });
});

describe('the history of DKIM keys', () => {
  const findings = async () =>
    ((await checkStore(table).latest(domain.id))?.results.dkim.findings ?? []).map(
      ({ id, subject }) => `${id} ${subject}`,
    );

  test('is kept by check runs, and compared with what reports saw', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const text = `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
    const name = 's9._domainkey.example.org';
    const remember = (selector: string, hours: number) =>
      rememberSelectors(table, domain, new Set([selector]), later(hours).toISOString().slice(0, 10), true);
    await remember('s9', 0);
    await check(1, { ...good, [name]: { TXT: [text] } });
    await remember('s8', 100 * 24);
    await check(101 * 24, { ...good, [name]: { TXT: [text] } });
    expect(await findings()).toEqual([
      'dkim-selector-gone s8',
      'dkim-used-key-gone s8',
      'dkim-key-unused s9',
    ]);
  });

  test('does not forget a key that is gone for those of twenty others', async () => {
    const { record: text } = ed25519Key();
    const keysOf = (names: readonly string[]): ZoneLiteral => ({
      ...good,
      ...Object.fromEntries(names.map((name) => [`${name}._domainkey.example.org`, { TXT: [text] }])),
    });
    const others = Array.from({ length: 20 }, (_, at) => `other${at}`);
    const day = (hours: number) => later(hours).toISOString().slice(0, 10);
    await rememberSelectors(table, domain, new Set(['lost']), day(0), true);
    const rows = [row({ dkimResults: [{ domain: 'example.org', result: 'pass', selector: 'lost' }] })];
    const store = dmarcReportStore(table, { retentionDays: 0 });
    await storeDmarc(store, domain, dmarcReport(day(0), rows), later(1), {
      arrival: { ...arrival, authenticatedDomain: 'google.com' },
    });
    await check(1, keysOf(['lost']));
    for (const some of [others.slice(0, 10), others.slice(10)])
      await rememberSelectors(table, domain, new Set(some), day(24), true);
    expect(await seenSelectorStore(table).list(domain.id)).not.toContain('lost');
    for (const hours of [48, 72, 96, 120]) {
      await check(hours, keysOf(others));
      expect(await findings()).toContain('dkim-used-key-gone lost');
    }
  });
});

describe('a DKIM key that two domains publish', () => {
  const { record: text } = ed25519Key();
  const shared = async (of: Domain) =>
    ((await checkStore(table).latest(of.id))?.results.dkim.findings ?? []).flatMap(
      ({ id, arguments: args }) => (id === 'dkim-key-shared' ? [args] : []),
    );
  const sibling = (name: string, of = domain) => registerDomain(table, of.organization, name, later(0));
  const keyAt = (...names: readonly string[]): ZoneLiteral =>
    Object.fromEntries([
      ...Object.entries(good),
      ...['example.com', 'example.net'].map((name) => [name, {}]),
      ...names.map((name) => [`default._domainkey.${name}`, { TXT: [text] }]),
    ]);

  test('is a finding of both until one of them replaces or removes it', async () => {
    const other = await sibling('example.net');
    const zones = keyAt('example.org', 'example.net');
    await check(0, zones);
    expect(await shared(domain)).toEqual([]);
    await check(0, zones, table, other);
    await check(1, zones);
    expect([await shared(domain), await shared(other)]).toEqual([
      [{ selector: 'default', domains: ['example.net'] }],
      [{ selector: 'default', domains: ['example.org'] }],
    ]);
    await check(2, { ...zones, 'default._domainkey.example.net': 'SERVFAIL' }, table, other);
    await check(2, zones);
    expect(await shared(domain)).toHaveLength(1);
    await check(3, keyAt('example.org'), table, other);
    await check(3, zones);
    expect(await shared(domain)).toEqual([]);
  });

  test('is none if it is a provider’s behind an alias, belongs to another organization, or its domain was removed', async () => {
    const [alias, removed] = [await sibling('example.com'), await sibling('example.net')];
    const elsewhere = await registeredDomain(table, 'example.net');
    const zones = {
      ...keyAt('example.org', 'example.net', 'provider.example'),
      'default._domainkey.example.com': { CNAME: ['default._domainkey.provider.example'] },
    };
    for (const one of [alias, removed, elsewhere]) await check(0, zones, table, one);
    await domainStore(table).remove(
      (await domainStore(table).get(removed.organization, removed.id)) ?? removed,
      later(1),
    );
    await deletionStore(table).drain(removed.id, () => 60_000);
    await check(1, zones);
    await check(1, zones, table, alias);
    expect([await shared(domain), await shared(alias)]).toEqual([[], []]);
  });

  test('is written once, and five other domains are named', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((label) => `${label}.example.net`);
    const zones = {
      ...keyAt('example.org', ...names),
      ...Object.fromEntries(names.map((name) => [name, {}])),
    };
    for (const name of names) await check(0, zones, table, await sibling(name));
    await check(1, zones);
    expect(await shared(domain)).toEqual([{ selector: 'default', domains: names.slice(0, 5) }]);
    const known = (await checkStore(table).latest(domain.id))?.keys ?? [];
    expect(sharedKeyWrites(domain, known, known)).toEqual([]);
  });
});

describe('a former report address', () => {
  const naming = (...rua: readonly string[]) => ({ state: 'pass', findings: [], rua }) as const;
  const condition = (given: Parameters<typeof conditionsWith>[0]) =>
    conditionsWith(given)['former-report-address'];

  test('opens an item while the DMARC or the TLS-RPT record names it', () => {
    const old = 'mailto:Box@OLD.example';
    const about = expect.objectContaining({ names: ['box@old.example'] });
    expect(condition({ dmarc: naming('mailto:me@a.example', old) })).toMatchObject({ about });
    expect(condition({ tlsRpt: naming('mailto:box@old.example') })).toMatchObject({ about });
  });

  test('is none if it is the present one, or that of somebody else', () => {
    expect(condition({ dmarc: naming('mailto:box@new.example', 'mailto:x@old.example') })).toBeNull();
  });
});

/** The conditions with these results of a perfect domain. */
function conditionsWith(
  given: {
    [Name in keyof CheckResults]?: Pick<CheckResults[Name], 'state' | 'findings'> &
      Partial<CheckResults[Name]>;
  },
) {
  const perfect = perfectResults('sends-and-receives');
  const results: CheckResults = {
    ...perfect,
    dmarc: { ...perfect.dmarc, ...given.dmarc },
    mx: { ...perfect.mx, ...given.mx },
    mtaSts: { ...perfect.mtaSts, ...given.mtaSts },
    tlsRpt: { ...perfect.tlsRpt, ...given.tlsRpt },
    bimi: { ...perfect.bimi, ...given.bimi },
  };
  const baseline = factsOf(results, 'sends-and-receives');
  return conditionsOf(
    { checkedAt: later(0).toISOString(), results },
    { baseline, isBelowThreshold: false },
    ['box@old.example'],
    later(0),
  );
}
