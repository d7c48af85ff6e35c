/** Each requirement of each profile is decided: by results that fulfill it, and by the most similar ones that violate it. */
import { describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { type CheckName, checkNames, type UsageType } from '../../../shared/checks/state.ts';
import { checksOf, evaluate, type JudgedRequirement } from '../../../shared/compliance/evaluate.ts';
import { factIds } from '../../../shared/compliance/facts.ts';
import type { RuleId } from '../../../shared/compliance/profile.ts';
import { type ProfileId, profileIds, profiles } from '../../../shared/compliance/profiles.ts';
import { catalogue, type FindingId } from '../../../shared/protocol/findings/catalogue.ts';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import { dkimKey, emptyResults, mxResult, perfectResults, unknownResults } from '../../kit/results.ts';
import { zone } from '../../kit/zone.ts';

type Changes = (results: CheckResults) => Partial<CheckResults>;

const named = (id: FindingId) => ({
  id,
  severity: catalogue[id]?.severity ?? 'notice',
  arguments: {
    host: 'mx1.example.org',
    ip: '192.0.2.25',
    hosts: ['mx1.example.org'],
    names: [],
    tags: [],
    domains: [],
    hashes: [],
  },
});

/** Adds a finding to a check. */
const finds =
  (check: CheckName, id: FindingId): Changes =>
  (results) => ({ [check]: { ...results[check], findings: [...results[check].findings, named(id)] } });

/** Changes the result of a check. */
const sets =
  <Name extends CheckName>(check: Name, changes: Partial<CheckResults[Name]>): Changes =>
  (results) => ({ [check]: { ...results[check], ...changes } });

const keys = (...kinds: readonly Parameters<typeof dkimKey>[1][]): Changes =>
  sets('dkim', { selectors: kinds.map((changes, n) => dkimKey(`s${n}`, changes)) });

const ed25519 = { keyType: 'ed25519', keySize: 256 } as const;
const noTls = sets('mx', { tlsSupported: false });
const noDmarc = finds('dmarc', 'dmarc-missing');
const noSpf = finds('spf', 'spf-missing');
const noKey = keys({ valid: false });
const policy = (effectivePolicy: 'none' | 'quarantine') => sets('dmarc', { effectivePolicy });

/** What violates each requirement that can be decided. The domain of the pair fulfills it. */
const violations: Readonly<Record<ProfileId, Readonly<Record<string, Changes>>>> = {
  'google-yahoo-microsoft-senders': {
    'google-spf': sets('spf', { valid: false }),
    'google-dkim': noKey,
    'google-dkim-1024': finds('dkim', 'dkim-key-too-short'),
    'google-dkim-2048': finds('dkim', 'dkim-key-short'),
    'google-dmarc': noDmarc,
    'google-dmarc-reports': finds('dmarc', 'dmarc-missing-rua'),
    'yahoo-spf': finds('spf', 'spf-pass-all'),
    'yahoo-dkim': keys({ revoked: false, valid: false }),
    'yahoo-dkim-1024': finds('dkim', 'dkim-key-too-short'),
    'yahoo-dmarc': sets('dmarc', { valid: false }),
    'yahoo-rua': sets('dmarc', { ruaUsable: false }),
    'microsoft-spf': noSpf,
    'microsoft-dkim': noKey,
    'microsoft-dmarc': noDmarc,
  },
  'bsi-tr-03108': {
    'TR-03108-03-M': finds('mx', 'mx-tls-old'),
    'TR-03108-05-M': sets('mx', { daneSupported: false }),
    'TR-03108-07-R': finds('mtaSts', 'mta-sts-missing'),
    'TR-03108-10-M': sets('tlsRpt', { rua: ['mailto:tls@example.org', 'https://reports.example.org/'] }),
  },
  'bsi-tr-03182': {
    'TR-03182-01-M': finds('spf', 'spf-term-after-all'),
    'TR-03182-01-M-all': finds('spf', 'spf-neutral-all'),
    'TR-03182-03-M': finds('dkim', 'dkim-malformed-key'),
    'TR-03182-03-M-algorithms': keys({}),
    'TR-03182-03-M-discontinued': finds('dkim', 'dkim-no-usable-hash'),
    'TR-03182-03-M-shared': finds('dkim', 'dkim-key-shared'),
    'TR-03182-03-M-unused': finds('dkim', 'dkim-key-unused'),
    'TR-03182-06-M': noDmarc,
    'TR-03182-06-M-policy': policy('none'),
    'TR-03182-06-M-reject': policy('quarantine'),
    'TR-03182-06-M-alignment': sets('dmarc', { adkim: 'r' }),
    'TR-03182-06-M-rua': finds('dmarc', 'dmarc-missing-rua'),
    'TR-03182-06-M-ruf': sets('dmarc', { ruf: ['mailto:ruf@example.org'] }),
    'TR-03182-dnssec': sets('dnssec', { chainValid: false }),
    'TR-03182-11-M-mx': sets('mx', { emailReceptionCapability: 'no-mail' }),
    'TR-03182-11-M-spf': sets('spf', { allPolicy: '~all' }),
    'TR-03182-11-M-dmarc': sets('dmarc', { testing: true }),
    'TR-03182-11-M-rua': finds('dmarc', 'dmarc-missing-rua'),
  },
  'ncsc-uk': {
    tls: finds('mx', 'mx-no-starttls'),
    'tls-certificate': finds('mx', 'mx-certificate-untrusted'),
    'tls-parameters': finds('mx', 'mx-tls-weak'),
    spf: finds('spf', 'spf-too-many-lookups'),
    'spf-ptr': finds('spf', 'spf-ptr'),
    'dmarc-policy': policy('none'),
    'dmarc-subdomains': sets('dmarc', { subdomainPolicy: 'none' }),
    'dmarc-percentage': finds('dmarc', 'dmarc-partial'),
    'unused-spf': sets('spf', { allPolicy: '~all' }),
    'unused-dmarc': policy('quarantine'),
    'unused-mx': sets('mx', { emailReceptionCapability: 'no-mail' }),
  },
  'bod-18-01': {
    starttls: noTls,
    spf: sets('spf', { valid: false }),
    dmarc: noDmarc,
    'dmarc-reports': sets('dmarc', { rua: [] }),
    ciphers: finds('mx', 'mx-tls-weak'),
    reject: policy('quarantine'),
  },
  'pci-dss-4-0-1': {
    '5.4.1-dmarc': policy('none'),
    '5.4.1-spf': finds('spf', 'spf-no-all'),
    '5.4.1-dkim': noKey,
  },
};

/** The strictest domain of a usage type: with both kinds of keys, strict alignment, and usable addresses for reports. */
function strictest(usage: UsageType): CheckResults {
  const given = perfectResults(usage);
  const perfect = { ...given, dkim: { ...given.dkim, allUsed: true } };
  return {
    ...perfect,
    ...(usage === 'parked' ? {} : keys({}, ed25519)(perfect)),
    dmarc: { ...perfect.dmarc, aspf: 's', adkim: 's', ruaUsable: true },
  };
}

function usageOf(id: ProfileId, requirement: string): UsageType {
  const found = profiles[id].requirements.find((one) => one.id === requirement);
  return found?.scope === 'parked' || found?.scope === 'non-senders' ? 'parked' : 'sends-and-receives';
}

function judged(id: ProfileId, requirement: string, results: CheckResults, usage: UsageType) {
  const found = evaluate(profiles[id], results, usage).requirements.find(
    (one) => one.requirement.id === requirement,
  );
  return found as JudgedRequirement;
}

const pairs = profileIds.flatMap((id) =>
  Object.entries(violations[id]).map(([requirement, change]) => [id, requirement, change] as const),
);

describe('profiles', () => {
  test.each(pairs)('%s %s is fulfilled, and violated', (id, requirement, change) => {
    const usage = usageOf(id, requirement);
    const good = strictest(usage);
    expect(judged(id, requirement, good, usage)).toMatchObject({ status: 'fulfilled', findings: [] });
    const bad = judged(id, requirement, { ...good, ...change(good) }, usage);
    expect(bad.status).toBe('violated');
    expect(bad.requirement.rules).toEqual(expect.arrayContaining(bad.findings.map((cause) => cause.id)));
    expect(bad.findings.map(({ message }) => message).join(' ')).not.toMatch(/^$|does not know/);
  });

  test.each(profileIds)('%s has a pair for each requirement that rules decide', (id) => {
    const decided = profiles[id].requirements.filter(({ rules }) => rules !== undefined);
    expect(Object.keys(violations[id]).toSorted()).toEqual(decided.map((one) => one.id).toSorted());
  });

  test.each(profileIds)('%s claims nothing where lookups failed, or before the first check run', (id) => {
    for (const results of [unknownResults(), undefined]) {
      const { status, requirements } = evaluate(profiles[id], results, 'sends-and-receives');
      expect(status).toBe('unknown');
      const statuses = requirements.map((one) => one.status);
      expect(statuses.filter((one) => one === 'fulfilled' || one === 'violated')).toEqual([]);
    }
  });

  test.each(profileIds)('%s never fulfills what no check decides, and has what its readers need', (id) => {
    const { sources, requirements } = profiles[id];
    const open = requirements.filter(({ coverage }) => coverage === 'not covered');
    expect(open.length).toBeGreaterThan(0);
    const { requirements: all } = evaluate(
      profiles[id],
      strictest('sends-and-receives'),
      'sends-and-receives',
    );
    const untested = all.filter(({ status }) => status === 'not-testable');
    expect(untested.map((one) => one.requirement)).toEqual(open);
    expect(new Set(requirements.map((one) => one.id)).size).toBe(requirements.length);
    expect(new Set(requirements.map(({ source }) => source))).toEqual(new Set(Object.keys(sources)));
    for (const { address, date } of Object.values(sources)) {
      expect(address).toMatch(/^https:\/\//);
      expect(date ?? '2026-01').toMatch(/^20\d\d-\d\d(?:-\d\d)?$/);
    }
  });

  test('are in the order in which directories store them', () => {
    expect(profileIds).toEqual([
      ...['google-yahoo-microsoft-senders', 'bsi-tr-03108', 'bsi-tr-03182', 'ncsc-uk', 'bod-18-01'],
      'pci-dss-4-0-1',
    ]);
  });

  test('name no fact that is a rule, too', () => {
    expect(factIds.filter((id) => Object.hasOwn(catalogue, id))).toEqual([]);
    const used = new Set<RuleId>(
      profileIds.flatMap((id) => profiles[id].requirements.flatMap(({ rules = [] }) => rules)),
    );
    expect(factIds.filter((id) => !used.has(id))).toEqual([]);
  });
});

describe('evaluate', () => {
  const usage = 'sends-and-receives';
  const good = strictest(usage);
  const tls = (results: CheckResults) => judged('bod-18-01', 'starttls', results, usage);

  test('says that what is about mail servers does not concern a domain without them', () => {
    const noMail = { ...good, mx: emptyResults().mx };
    expect(tls(noMail).status).toBe('not-applicable');
    expect(judged('bod-18-01', 'starttls', perfectResults('parked'), 'parked').status).toBe('not-applicable');
    expect(tls({ ...good, mx: unknownResults().mx }).status).toBe('unknown');
  });

  test('leaves unknown what a host that was not asked could change, and says why', () => {
    const changed = { ...good, ...finds('mx', 'mx-not-asked')(good) };
    expect(tls(changed)).toMatchObject({ status: 'unknown', findings: [{ id: 'mx-not-asked' }] });
    const both = { ...changed, ...finds('mx', 'mx-no-starttls')(changed) };
    expect(tls(both)).toMatchObject({ status: 'violated', findings: [{ id: 'mx-no-starttls' }] });
    const blocked = mxResult({ state: 'unknown', tlsSupported: null });
    expect(tls({ ...good, mx: { ...blocked, findings: [named('mx-port-25-not-asked')] } })).toMatchObject({
      status: 'unknown',
      findings: [{ id: 'mx-port-25-not-asked' }],
    });
  });

  test.each([
    ['v=spf1 -all', 'fulfilled'],
    ['v=spf1 redirect=b.example.org', 'violated'],
    ['v=spf1 ip4:192.0.2.0/24 -all', 'violated'],
  ])('knows whether %s authorizes nobody', async (record, status) => {
    const published = {
      'example.org': { TXT: [record] },
      'b.example.org': { TXT: ['v=spf1 ip4:0.0.0.0/0 -all'] },
    };
    const { allPolicy, mechanisms } = await expand('example.org', zone(published));
    const parked = strictest('parked');
    const results = { ...parked, spf: { ...parked.spf, allPolicy, mechanisms } };
    expect([allPolicy, judged('ncsc-uk', 'unused-spf', results, 'parked').status]).toEqual(['-all', status]);
  });

  test.each<readonly [ProfileId, string, Changes, JudgedRequirement['status']]>([
    // A host refused the connection, or is one of those beyond the limit: no TLS was seen.
    ['bod-18-01', 'ciphers', sets('mx', { tlsSupported: null }), 'unknown'],
    ['bod-18-01', 'reject', sets('dmarc', { percentage: 99 }), 'violated'],
    ['bod-18-01', 'reject', sets('dmarc', { percentage: null }), 'fulfilled'],
    [
      'pci-dss-4-0-1',
      '5.4.1-dmarc',
      sets('dmarc', { effectivePolicy: 'quarantine', percentage: 0 }),
      'violated',
    ],
    ['pci-dss-4-0-1', '5.4.1-dmarc', sets('dmarc', { percentage: 0 }), 'fulfilled'],
    [
      'bsi-tr-03182',
      'TR-03182-06-M-policy',
      sets('dmarc', { subdomainPolicy: 'quarantine', testing: true }),
      'violated',
    ],
    ['bsi-tr-03182', 'TR-03182-06-M-ruf', noDmarc, 'violated'],
    ['bsi-tr-03182', 'TR-03182-03-M-unused', sets('dkim', { allUsed: false }), 'unknown'],
  ])('takes nothing for fulfilled without proof: %s %s, case %#', (id, requirement, change, status) => {
    expect(judged(id, requirement, { ...good, ...change(good) }, usage).status).toBe(status);
  });

  test('does not take a key that was not found for one that is missing', () => {
    const none = { ...good, dkim: { ...emptyResults().dkim, findings: [named('dkim-none-found')] } };
    expect(judged('google-yahoo-microsoft-senders', 'google-dkim', none, usage).status).toBe('unknown');
  });

  test('finds what a part of a check has', () => {
    const key = dkimKey('s1', { findings: [{ ...named('dkim-key-too-short'), subject: 's1' }] });
    const weak = { ...good, dkim: { ...good.dkim, selectors: [key] } };
    expect(judged('google-yahoo-microsoft-senders', 'google-dkim-1024', weak, usage)).toMatchObject({
      status: 'violated',
      findings: [{ id: 'dkim-key-too-short', subject: 's1' }],
    });
  });

  test('judges a profile by its mandatory requirements, or without any by all', () => {
    const status = (id: ProfileId, change: Changes, of: UsageType = usage) =>
      evaluate(profiles[id], { ...strictest(of), ...change(strictest(of)) }, of).status;
    const relaxed = sets('dmarc', { aspf: 'r' });
    expect(status('bsi-tr-03182', relaxed)).toBe('fulfilled');
    expect(status('bsi-tr-03182', policy('none'))).toBe('violated');
    expect(status('ncsc-uk', policy('none'))).toBe('violated');
    expect(status('bsi-tr-03182', sets('dkim', { ...unknownResults().dkim }))).toBe('unknown');
    expect(status('google-yahoo-microsoft-senders', relaxed, 'parked')).toBe('not-applicable');
  });

  test('asks every check about rules that no check alone has', () => {
    const requirement = profiles['bod-18-01'].requirements[0];
    if (requirement?.rules === undefined) throw new Error('it is decided');
    const own = { requirements: [{ ...requirement, scope: 'all', rules: ['unowned-alias'] }] } as const;
    expect(evaluate(own, good, usage).status).toBe('fulfilled');
    for (const name of checkNames)
      expect(evaluate(own, { ...good, [name]: unknownResults()[name] }, usage).status).toBe('unknown');
  });
});

test.each([
  ['dkim-key-short', ['dkim']],
  ['unowned-dkim-alias', ['dkim']],
  ['unowned-name-server', ['dnssec']],
] as const)('%s is a rule of %j', (rule, checks) => {
  expect(checksOf(rule)).toEqual(checks);
});
