import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeBatch } from '@aws-sdk/client-route-53';
import { describe, expect, test } from '@jest/globals';
import hcl from 'hcl2-parser';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import { placedFindings } from '../../../shared/checks/preview/difference.ts';
import { overlayDns } from '../../../shared/checks/preview/overlay.ts';
import { readChanges, readZone } from '../../../shared/checks/preview/proposal.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { type UsageType, usageTypes } from '../../../shared/checks/state.ts';
import type { ReportedMail, ReportedSender } from '../../../shared/fixes/facts.ts';
import { changeBatch, writeFixes } from '../../../shared/fixes/formats.ts';
import { makePlan, type Plan } from '../../../shared/fixes/plan.ts';
import type { Policy } from '../../../shared/protocol/dmarc/record.ts';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import { characterStrings } from '../../../shared/protocol/zone-file/record-set.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { hasBind } from '../../kit/bind.ts';
import { useFolder } from '../../kit/use.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';
import { asked, checkAndPlan, checkContextOf, previewOf, quiet, setsOf } from './check-and-plan.ts';
import { type FaultyZone, faultyZones, MAILBOX, UNRELATED, zoneOf } from './faulty-zones.ts';
import { replaySafeChanges } from './replay.ts';

const authenticated = { isAuthenticated: true };

interface Planned {
  readonly faulty: FaultyZone;
  readonly domain: string;
  readonly usageType: UsageType;
  readonly results: CheckResults;
  readonly plan: Plan;
}

const cases = faultyZones.flatMap((faulty, at) =>
  usageTypes.map((usageType) => ({ faulty, usageType, domain: `case-${at}-${usageType}.test` })),
);
const planned: Planned[] = [];
const planOf = (fault: string, usage: UsageType) => {
  const found = planned.find(({ faulty, usageType }) => faulty.fault === fault && usageType === usage);
  if (found === undefined) throw new Error(fault);
  return found.plan;
};

const resolvedBy = (plan: Plan, kind: string) =>
  plan.changes.filter((change) => change.class === kind).flatMap(({ resolves }) => resolves);

for (const { faulty, usageType, domain } of cases) {
  const { results, plan } = await checkAndPlan(domain, usageType, zone(zoneOf(domain, faulty)));
  planned.push({ faulty, usageType, domain, results, plan });
}

describe('the plans of faulty zones', () => {
  test.each(cases.map((one) => [`${one.faulty.fault}, ${one.usageType}`, one] as const))(
    '%s: the safe changes do what they say',
    async (_, { faulty, usageType, domain }) => {
      const plan = planOf(faulty.fault, usageType);
      const safe = plan.changes.filter((change) => change.class === 'safe');
      const gains = safe.reduce((sum, { gain }) => sum + gain, 0);
      expect(gains).toBe((plan.scoreAfter ?? 0) - (plan.score ?? 0));
      if (safe.length === 0) return;
      const dns = zone(zoneOf(domain, faulty));
      const read = readZone(writeFixes(plan, 'zone'), domain);
      expect(read).toEqual(readChanges(safe, domain));
      if (!read.ok) throw new Error(read.problems.join());
      const { before, after, introduced } = await previewOf(domain, read.sets, dns);
      expect(computeScore(before, usageType).score).toBe(plan.score);
      expect(computeScore(after, usageType).score).toBe(plan.scoreAfter);
      const remaining = new Set(placedFindings(after).map(({ id }) => id));
      expect(safe.flatMap(({ resolves }) => resolves).filter((id) => remaining.has(id))).toEqual([]);
      // p=none is what a first record asks for.
      const harmful = introduced.filter(
        ({ id, severity }) => severity !== 'notice' && id !== 'dmarc-monitoring-only',
      );
      expect(harmful).toEqual([]);
      const { plan: second } = await checkAndPlan(domain, usageType, overlayDns(dns, read.sets).dns);
      expect(second.changes.filter((change) => change.class === 'safe')).toEqual([]);
      // No host stops passing SPF, and no receiver is asked for more, unless the domain has no mail.
      if (usageType === 'parked') return;
      expect(after.dmarc.effectivePolicy ?? 'none').toBe(before.dmarc.effectivePolicy ?? 'none');
      expect([after.dmarc.aspf ?? 'r', after.dmarc.adkim ?? 'r']).toEqual([
        before.dmarc.aspf ?? 'r',
        before.dmarc.adkim ?? 'r',
      ]);
      expect([after.spf.valid, after.spf.allPolicy, after.spf.flattenedIps]).toEqual([
        before.spf.valid,
        before.spf.allPolicy,
        before.spf.flattenedIps,
      ]);
    },
  );

  test.each(usageTypes)('hold in a preview with all changes that need a decision: %s', async (usage) => {
    for (const { faulty, usageType, domain, plan, results } of planned) {
      if (usageType !== usage) continue;
      const dns = zone(zoneOf(domain, faulty));
      const changes = plan.changes.filter((change) => change.class !== 'advice');
      const { after, introduced } = await previewOf(domain, setsOf(changes), dns);
      const errors = introduced.filter(({ severity }) => severity === 'error');
      expect({ domain, errors }).toEqual({ domain, errors: [] });
      const remaining = new Set(placedFindings(after).map(({ id }) => id));
      const claimed = changes.flatMap(({ resolves }) => resolves);
      expect({ domain, remaining: claimed.filter((id) => remaining.has(id)) }).toEqual({
        domain,
        remaining: [],
      });
      // Without readiness, no receiver is asked for more of a domain that sends.
      if (usage === 'parked' || usage === 'receives-only') continue;
      expect([domain, after.dmarc.effectivePolicy ?? 'none']).toEqual([
        domain,
        results.dmarc.effectivePolicy ?? 'none',
      ]);
    }
  });

  test.each(usageTypes)('lower no passing messages of 90 days of reports: %s', async (usage) => {
    for (const { faulty, usageType, domain, ...made } of planned) {
      if (usageType !== usage) continue;
      const dns = zone(zoneOf(domain, faulty));
      // The reports show mail of the domain, and the plan of a parked domain depends on that.
      const shown =
        usage === 'parked' ? await checkAndPlan(domain, usage, dns, { mail: authenticated }) : made;
      const summary = await replaySafeChanges(domain, shown, dns);
      const { passing, current, proposed, unpredictable } = summary;
      expect({ domain, unpredictable }).toEqual({ domain, unpredictable: 0 });
      expect({ domain, passing: passing.proposed }).toEqual({ domain, passing: passing.current });
      expect({ domain, ...proposed }).toEqual({ domain, ...current });
    }
  });

  test('contain the values of their own domain only, and keep unrelated TXT records', () => {
    for (const { plan, domain } of planned) {
      const text = JSON.stringify(plan.changes);
      expect(text).not.toContain('example.org');
      for (const { name, type, before, after } of plan.changes) {
        expect(`.${name}`.endsWith(`.${domain}`)).toBe(true);
        if (name === domain && type === 'TXT' && before.includes(UNRELATED))
          expect(after).toContain(UNRELATED);
      }
    }
  });

  test('never propose to flatten SPF', () => {
    for (const { plan } of planned) expect(JSON.stringify(plan)).not.toMatch(/flatten/i);
  });

  test('never propose a stronger DMARC policy for a domain that sends mail', () => {
    for (const { plan, usageType } of planned) {
      if (usageType === 'receives-only' || usageType === 'parked') continue;
      for (const { before, after } of plan.changes) {
        const strict = (texts: readonly string[]) =>
          texts.some((text) => /DMARC1.*p *= *(?:reject|quarantine)/i.test(text));
        if (strict(after)) expect(strict(before)).toBe(true);
      }
    }
  });

  test('keep SPF records within the limits of DNS and of SPF, or nearer to them than before', async () => {
    let records = 0;
    for (const { domain, faulty, plan } of planned) {
      const published = zone(zoneOf(domain, faulty));
      const isSpf = ({ name, after }: Plan['changes'][number]) =>
        name === domain && after.some((text) => text.startsWith('v=spf1'));
      for (const { before, after } of plan.changes.filter(isSpf)) {
        records += 1;
        const set = { name: domain, type: 'TXT', ttl: 3600, values: after } as const;
        const [was, is] = await Promise.all([
          expand(domain, published),
          expand(domain, overlayDns(published, [set]).dns),
        ]);
        expect(is.totalLookupCount).toBeLessThanOrEqual(Math.max(10, was.totalLookupCount));
        const voids = ({ voidLookupCount: { ip4, ip6 } }: typeof is) => Math.max(ip4, ip6);
        expect(voids(is)).toBeLessThanOrEqual(Math.max(2, voids(was)));
        const strings = after.flatMap(characterStrings);
        for (const string of strings) expect(string.length).toBeLessThanOrEqual(255);
        const octets = (texts: readonly string[]) => texts.join('').length;
        expect(octets(after)).toBeLessThanOrEqual(Math.max(450, octets(before)));
      }
    }
    expect(records).toBeGreaterThan(50);
  });
});

describe('a plan', () => {
  const noMail: FaultyZone = { fault: '', spf: [], dmarc: [], mx: [] };
  const plan = async (faulty: FaultyZone, usageType: UsageType, mail: Partial<ReportedMail> = {}) =>
    (await checkAndPlan('domain.test', usageType, zone(zoneOf('domain.test', faulty)), { mail })).plan;

  test('names the records that it applies to, and the evidence', async () => {
    const { changes } = await plan({ fault: '', dmarc: ['v=DMARC1; p=none', 'other'] }, 'sends-and-receives');
    expect(changes[0]).toMatchObject({
      ...{ id: 'safe:_dmarc.domain.test:TXT', action: 'replace', before: ['other', 'v=DMARC1; p=none'] },
      after: ['other', `v=DMARC1; p=none; rua=mailto:${MAILBOX}`],
      ...{ resolves: ['dmarc-missing-rua'], waitSeconds: 3600 },
      evidence: [expect.stringContaining('no rua tag')],
    });
  });

  test.each([
    ['v=DMARC1; p=none', 'quarantine', `v=DMARC1; p=quarantine; rua=mailto:${MAILBOX}`],
    [
      'v=DMARC1; p=quarantine; rua=mailto:a@domain.test',
      'reject',
      `v=DMARC1; p=reject; rua=mailto:a@domain.test,mailto:${MAILBOX}`,
    ],
  ] as const)('proposes the policy that the domain is ready for: %s', async (record, ready, after) => {
    const dns = zone(zoneOf('domain.test', { fault: '', dmarc: [record] }));
    const of = async (next: Policy | null) => {
      const given = { mail: authenticated, nextPolicy: next };
      const { plan: made } = await checkAndPlan('domain.test', 'sends-and-receives', dns, given);
      return made.changes.find(({ name, class: kind }) => name === '_dmarc.domain.test' && kind !== 'safe');
    };
    expect(await of(null)).toBeUndefined();
    const change = await of(ready);
    expect(change).toMatchObject({
      ...{ class: 'needs-decision', after: [after], reason: expect.stringContaining(`p=${ready}`) },
      rollback: 'To undo it, publish the earlier records again.',
    });
    expect(change?.gain).toBeGreaterThan(0);
    expect(await of('none')).toBeUndefined();
  });

  test('merges DMARC records with addresses elsewhere, and names the authorization that is missing', async () => {
    const dmarc = [
      'v=DMARC1; p=none; rua=mailto:a@other.test',
      'v=DMARC1; p=reject; rua=mailto:a@not-authorized.test',
    ];
    const { changes, manual } = await plan({ fault: '', dmarc }, 'sends-and-receives');
    const change = changes.find(({ name }) => name === '_dmarc.domain.test');
    expect(change).toMatchObject({
      class: 'needs-decision',
      after: [`v=DMARC1; p=none; rua=mailto:a@other.test,mailto:a@not-authorized.test,mailto:${MAILBOX}`],
      resolves: ['dmarc-multiple-records'],
    });
    expect(change?.reason).toContain(
      'there is no "v=DMARC1" TXT record at domain.test._report._dmarc.not-authorized.test',
    );
    expect(change?.reason).not.toContain('_dmarc.other.test');
    expect(manual).toContainEqual({
      reason: expect.stringContaining('Ask the owner of not-authorized.test'),
      resolves: ['dmarc-unauthorized-destination'],
      gain: expect.any(Number),
      evidence: [expect.stringContaining('not-authorized.test')],
    });
    // Half of the points of MX, which TLS decides.
    expect(manual.find(({ resolves }) => resolves.includes('mx-no-starttls'))?.gain).toBeGreaterThan(0);
  });

  test('corrects a record that receivers do not recognize only after a decision if reports would not arrive', async () => {
    const classOf = async (host: string) => {
      const dmarc = [`v=dmarc1; p=none; rua=mailto:a@${host}`];
      const { changes } = await plan({ fault: '', dmarc }, 'sends-and-receives');
      return changes.find(({ name }) => name === '_dmarc.domain.test')?.class;
    };
    expect([await classOf('other.test'), await classOf('not-authorized.test')]).toEqual([
      'safe',
      'needs-decision',
    ]);
  });

  test('proposes no change of a domain that does not exist', async () => {
    const { plan: made } = await checkAndPlan('domain.test', 'sends-and-receives', zone({}));
    expect([made.changes, made.scoreAfter]).toEqual([[], made.score]);
    expect(made.manual.flatMap(({ resolves }) => resolves)).toContain('mx-no-such-domain');
  });

  test('proposes no change of records without their lookups', async () => {
    const dns = zone(zoneOf('domain.test', noMail));
    const results = await inspectDomain(asked('domain.test'), checkContextOf('domain.test', dns));
    const made = await makePlan({
      ...{ domain: 'domain.test', usageType: 'parked', mailbox: MAILBOX, mail: quiet },
      ...{ results, lookups: [] },
    });
    expect(made.changes).toEqual([]);
    expect(made.manual.flatMap(({ resolves }) => resolves)).toContain('spf-missing');
  });
});

describe('the formats', () => {
  const withSafe = () => planned.filter(({ plan }) => resolvedBy(plan, 'safe').length > 0);

  (hasBind() ? test : test.skip)('the zone format loads in BIND', () => {
    const folder = useFolder('fixes');
    const file = join(folder, 'test.zone');
    const head = [
      '$TTL 300',
      '@ IN SOA ns admin 1 3600 600 86400 300',
      '@ IN NS ns',
      'ns IN A 192.0.2.53',
      '',
    ];
    writeFileSync(
      file,
      head.join('\n') +
        withSafe()
          .map(({ plan }) => writeFixes(plan, 'zone'))
          .join(''),
    );
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    const output = execFileSync('named-checkzone', ['-D', '-q', '-s', 'full', 'test', file], {
      env,
      encoding: 'latin1',
    });
    expect(output).not.toContain('passwd"\n');
    expect(output.match(/\n/g)?.length ?? 0).toBeGreaterThan(withSafe().length);
  });

  test('the Route 53 change batch replaces each record set', () => {
    for (const { plan, domain } of withSafe()) {
      const safe = plan.changes.filter((change) => change.class === 'safe');
      const written = JSON.parse(writeFixes(plan, 'route53'));
      const batch: ChangeBatch = changeBatch(safe.map(({ after, ...set }) => ({ ...set, values: after })));
      expect(written).toEqual(batch);
      for (const { Action, ResourceRecordSet } of batch.Changes ?? []) {
        expect(Action).toBe('UPSERT');
        expect(ResourceRecordSet?.Name?.endsWith(`${domain}.`)).toBe(true);
        const values = (ResourceRecordSet?.ResourceRecords ?? []).map(({ Value = '' }) => Value);
        if (ResourceRecordSet?.Type !== 'TXT') continue;
        for (const value of values)
          expect(value).toMatch(/^"[ !#-[\]-~]*(?:\\[0-3][0-7]{2}[ !#-[\]-~]*)*"(?: "[^"]*")*$/);
      }
    }
  });

  test('Terraform has the same values, and interpolates nothing', () => {
    for (const { plan } of withSafe()) {
      const [parsed, error] = hcl.parseToObject(writeFixes(plan, 'terraform'));
      expect(error ?? null).toBeNull();
      const resources = Object.values(parsed.resource.aws_route53_record);
      const batch = JSON.parse(writeFixes(plan, 'route53')).Changes;
      expect(resources).toHaveLength(batch.length);
      for (const { ResourceRecordSet: set } of batch) {
        const values = set.ResourceRecords.map(({ Value }: { Value: string }) => Value);
        const plain = set.Type === 'TXT' ? values.map((value: string) => value.slice(1, -1)) : values;
        expect(resources).toContainEqual([
          expect.objectContaining({ name: set.Name.slice(0, -1), type: set.Type, ttl: 3600, records: plain }),
        ]);
      }
    }
  });

  test('are empty without safe changes', () => {
    const plan = { score: 1, scoreAfter: 1, changes: [], files: [], manual: [] };
    expect(writeFixes(plan, 'zone')).toBe('');
    expect(JSON.parse(writeFixes(plan, 'route53')).Changes).toEqual([]);
    expect(writeFixes(plan, 'terraform')).toBe('');
  });
});

describe('an SPF record', () => {
  const domain = 'domain.test';
  const around: ZoneLiteral = {
    '_spf.google.com': { TXT: ['v=spf1 ip4:198.51.100.0/26 ~all'] },
    'spf.protection.outlook.com': { TXT: ['v=spf1 ip4:198.51.100.64/26 -all'] },
    'sendgrid.net': { TXT: ['v=spf1 ip4:198.51.100.128/26 ~all'] },
  };
  const atGoogle = { mx: [[1, 'aspmx.l.google.com']] } as const;
  const sender = (name: string, status: 'approved' | null = 'approved'): ReportedSender => ({
    ...{ name, status, kind: name.includes('/') ? 'network' : 'provider', spfAligned: 100 },
  });
  const approvedNetwork = sender('203.0.113.0/24');
  const approvedSendGrid = sender('SendGrid');
  const undecided = sender('Amazon SES', null);

  async function spfOf(
    changes: Omit<FaultyZone, 'fault'>,
    {
      usageType = 'sends-and-receives' as UsageType,
      authenticatedMail = false,
      senders = [] as ReportedSender[],
    } = {},
  ) {
    const dns = zone({ ...around, ...zoneOf(domain, { fault: '', ...changes }) });
    const { plan } = await checkAndPlan(domain, usageType, dns, {
      mail: { isAuthenticated: authenticatedMail },
      senders,
    });
    const change = plan.changes.find(({ name, type }) => name === domain && type === 'TXT');
    const record = change?.after.find((text) => text.startsWith('v=spf1'));
    return { dns, plan, change, record };
  }

  /** Whether a preview of the change comes to what the plan says. */
  async function isProven({ dns, change }: Awaited<ReturnType<typeof spfOf>>) {
    const read = readChanges(change === undefined ? [] : [change], domain);
    if (!read.ok) throw new Error(read.problems.join());
    const { after, introduced, resolved } = await previewOf(domain, read.sets, dns);
    expect(resolved.map(({ id }) => id)).toEqual(expect.arrayContaining([...(change?.resolves ?? [])]));
    expect(introduced.filter(({ severity }) => severity !== 'notice')).toEqual([]);
    expect(after.spf.valid).toBe(true);
    return after.spf;
  }

  const openToAll: readonly (readonly [what: string, spf: readonly string[], id: string])[] = [
    ['+all', ['v=spf1 +all'], 'spf-pass-all'],
    ['a bare record', ['v=spf1'], 'spf-no-all'],
    ['no record', [], 'spf-missing'],
  ];

  test.each(openToAll)('in place of %s lists the mailboxes, not nobody', async (_, spf, id) => {
    const own = await spfOf({ spf });
    expect([own.change?.class, own.record]).toEqual(['needs-decision', 'v=spf1 mx ~all']);
    const google = await spfOf({ spf, ...atGoogle });
    expect(google.record).toBe('v=spf1 include:_spf.google.com ~all');
    expect(google.change?.resolves).toContain(id);
    expect(google.change?.reason).toContain('other customers of Google Workspace');
    expect((await isProven(google)).flattenedIps).toEqual(['198.51.100.0/26']);
    const both = await spfOf({
      spf,
      mx: [
        [1, 'x.mail.protection.outlook.com'],
        [2, 'mx.$'],
      ],
    });
    expect(both.record).toBe('v=spf1 include:spf.protection.outlook.com mx ~all');
  });

  test.each(openToAll)(
    'in place of %s is not proposed while nothing is known, and the senders are named',
    async (_, spf, id) => {
      const senders = [undecided, { ...undecided, name: 'evil.example', kind: 'domain' as const }];
      for (const [changes, usageType] of [
        [{ mx: [] }, 'sends-and-receives'],
        [{ mx: [[1, 'eu-smtp-inbound-1.mimecast.com']] }, 'sends-and-receives'],
        [{}, 'sends-only'],
      ] as const) {
        const { change, plan } = await spfOf({ spf, ...changes }, { usageType, senders });
        expect(change).toBeUndefined();
        expect(plan.manual.find(({ resolves }) => resolves.includes(id))?.reason).toContain(
          'Reports of the last 30 days show mail from Amazon SES and evil.example, without a decision of yours.',
        );
      }
    },
  );

  test('lists approved senders, and says what it does not list', async () => {
    const senders = [approvedNetwork, approvedSendGrid, undecided];
    const { record, change } = await spfOf({ spf: ['v=spf1'], ...atGoogle }, { senders });
    // The check run did not look up the include of SendGrid, so nothing proves a record with it.
    expect(record).toBe('v=spf1 include:_spf.google.com ip4:203.0.113.0/24 ~all');
    expect(change?.reason).toContain(
      'show mail from 203.0.113.0/24 and SendGrid, which you approved, and from Amazon SES, without a decision of yours.',
    );
    expect(change?.reason).toContain('The record does not list SendGrid, which matters if');
    expect(change?.reason).toContain('It lists approved networks as a whole.');
  });

  test('takes no authorization from an approved sender', async () => {
    const spf = ['v=spf1 mx +all'];
    const open = await spfOf({ spf }, { senders: [approvedNetwork, undecided] });
    expect(open.record).toBe('v=spf1 mx ip4:203.0.113.0/24 ~all');
    expect((await isProven(open)).flattenedIps).toContain('203.0.113.0/24');
    const { change, plan } = await spfOf({ spf }, { senders: [approvedSendGrid] });
    expect(change).toBeUndefined();
    expect(plan.manual.find(({ resolves }) => resolves.includes('spf-pass-all'))?.reason).toContain(
      'SendGrid, which you approved',
    );
    const listed = await spfOf(
      { spf: ['v=spf1 include:sendgrid.net +all'] },
      { senders: [approvedSendGrid] },
    );
    expect(listed.record).toBe('v=spf1 include:sendgrid.net ~all');
    expect((await spfOf({ spf }, { senders: [{ ...approvedSendGrid, spfAligned: 0 }] })).record).toBe(
      'v=spf1 mx ~all',
    );
  });

  test('authorizes nobody only where no mail is sent and none was reported', async () => {
    const spf = ['v=spf1 +all'];
    const closed = await spfOf({ spf }, { usageType: 'receives-only' });
    expect([closed.change?.class, closed.record]).toEqual(['needs-decision', 'v=spf1 -all']);
    expect(closed.change?.reason).toContain('set up to send no mail');
    const open = await spfOf({ spf }, { usageType: 'receives-only', authenticatedMail: true });
    expect(open.record).toBeUndefined();
  });

  test('merges records with includes, as a preview proves', async () => {
    const spf = [
      'v=spf1 include:_spf.google.com -all',
      'v=spf1 include:sendgrid.net include:_spf.google.com ~all',
    ];
    const two = await spfOf({ spf });
    expect(two.change?.resolves).toContain('spf-multiple-records');
    expect(two.record).toBe('v=spf1 include:_spf.google.com include:sendgrid.net ~all');
    expect((await isProven(two)).flattenedIps).toEqual(['198.51.100.0/26', '198.51.100.128/26']);
  });

  test('is not merged into one that authorizes nobody', async () => {
    expect((await spfOf({ spf: ['v=spf1 +all', 'v=spf1'] })).record).toBeUndefined();
    const parked = await spfOf({ spf: ['v=spf1 -all', 'v=spf1 -all '] }, { usageType: 'receives-only' });
    expect(parked.record).toBe('v=spf1 -all');
  });

  test('is not merged beyond ten lookups, or if an include has no record', async () => {
    const more = () =>
      Object.fromEntries(
        Array.from({ length: 11 }, (_, at) => [`i${at}.test`, { TXT: [`v=spf1 ip4:192.0.2.${at} -all`] }]),
      );
    const including = (first: number, last: number) =>
      `v=spf1 ${Array.from({ length: last - first + 1 }, (_, at) => `include:i${first + at}.test`).join(' ')} -all`;
    const merge = async (...spf: string[]) => (await spfOf({ spf, more })).record;
    expect(await merge(including(0, 4), including(5, 6))).toBe(including(0, 6));
    expect(await merge(including(0, 4), including(5, 10))).toBeUndefined();
    expect(await merge('v=spf1 include:gone.test -all', including(0, 1))).toBeUndefined();
  });
});
