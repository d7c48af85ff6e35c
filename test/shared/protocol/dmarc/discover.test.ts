import { describe, expect, test } from '@jest/globals';
import {
  type DiscoveredPolicy,
  discoverPolicy,
  oneStepLess,
  treeWalkDomains,
  walkToOrganizationalDomain,
} from '../../../../shared/protocol/dmarc/discover.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const txt = (...TXT: string[]) => ({ TXT });
const here = { A: ['192.0.2.1'] };

async function found(domain: string, literal: ZoneLiteral): Promise<DiscoveredPolicy> {
  const discovery = await discoverPolicy(domain, zone(literal));
  if (discovery.status !== 'found') throw new Error(JSON.stringify(discovery));
  return discovery;
}

describe('the names of a tree walk (RFC 9989 section 4.10)', () => {
  test.each([
    ['a top-level domain', 'org', ['org']],
    ['two labels', 'example.org', ['example.org', 'org']],
    ['four labels', 'a.mail.example.org', ['a.mail.example.org', 'mail.example.org', 'example.org', 'org']],
  ])('of %s are the name and all its parents', (_, domain, names) => {
    expect(treeWalkDomains(domain)).toEqual(names);
  });

  test.each([
    ['eight labels', 'a.b.c.d.e.f.example.org', 'b.c.d.e.f.example.org'],
    ['nine labels', 'z.a.b.c.d.e.f.example.org', 'b.c.d.e.f.example.org'],
    ['thirteen labels', 'a.b.c.d.e.f.g.h.i.j.mail.example.com', 'g.h.i.j.mail.example.com'],
  ])('of %s are eight: the name, then its last seven labels', (_, domain, second) => {
    const names = treeWalkDomains(domain);
    expect(names).toHaveLength(8);
    expect(names.slice(0, 2)).toEqual([domain, second]);
    expect(names.at(-1)).not.toContain('.');
  });
});

describe('the policy that applies (RFC 9989 section 4.10.1)', () => {
  const world: ZoneLiteral = {
    '_dmarc.own.example.org': txt('v=DMARC1; p=none; sp=reject'),
    '_dmarc.example.org': txt('v=DMARC1; p=reject; sp=quarantine; np=none'),
    'sub.example.org': here,
    'alias.example.org': { CNAME: ['gone.example.net'] },
    '_dmarc.plain.example': txt('v=DMARC1; p=quarantine'),
    '_dmarc.bank': txt('v=DMARC1; p=reject; sp=quarantine; np=reject; psd=y'),
    'client.bank': here,
    'www.client.bank': here,
    '_dmarc.psd-own.bank': txt('v=DMARC1; p=none'),
    '_dmarc.unit.big.example': txt('v=DMARC1; p=none; sp=quarantine; psd=n'),
    '_dmarc.big.example': txt('v=DMARC1; p=reject'),
    'a.unit.big.example': here,
    '_dmarc.mid.deep.example': txt('v=DMARC1; p=none'),
    '_dmarc.deep.example': txt('v=DMARC1; p=reject'),
  };

  test.each([
    ['of a domain with a record is p of its own record', 'example.org', 'example.org', 'p', 'reject'],
    [
      'of a subdomain with a record is p of its own record',
      'own.example.org',
      'own.example.org',
      'p',
      'none',
    ],
    [
      'of an existing subdomain is sp of the organization',
      'sub.example.org',
      'example.org',
      'sp',
      'quarantine',
    ],
    ['of a non-existent subdomain is np of the organization', 'no.example.org', 'example.org', 'np', 'none'],
    [
      'of a CNAME with a missing target is sp: the name exists',
      'alias.example.org',
      'example.org',
      'sp',
      'quarantine',
    ],
    ['of a subdomain falls back to p', 'any.plain.example', 'plain.example', 'sp', 'quarantine'],
    ['below a public suffix domain is sp of that', 'client.bank', 'bank', 'sp', 'quarantine'],
    ['further below a public suffix domain is sp of that too', 'www.client.bank', 'bank', 'sp', 'quarantine'],
    ['of a non-existent name below a public suffix domain is np', 'nobody.bank', 'bank', 'np', 'reject'],
    [
      'of a domain with a record is not that of the public suffix',
      'psd-own.bank',
      'psd-own.bank',
      'p',
      'none',
    ],
    ['stops at psd=n', 'a.unit.big.example', 'unit.big.example', 'sp', 'quarantine'],
    [
      'skips a record between the domain and its organization',
      'x.mid.deep.example',
      'deep.example',
      'sp',
      'reject',
    ],
  ])('%s', async (_, domain, recordDomain, appliedTag, policy) => {
    expect(await found(domain, world)).toMatchObject({
      recordDomain,
      appliedTag,
      policy,
      effectivePolicy: policy,
    });
  });

  test.each([
    ['reject', 'quarantine'],
    ['quarantine', 'none'],
    ['none', 'none'],
  ] as const)('is one step weaker with t=y: %s becomes %s', async (p, effectivePolicy) => {
    const literal = { '_dmarc.example.org': txt(`v=DMARC1; p=${p}; t=y`) };
    expect(await found('example.org', literal)).toMatchObject({ policy: p, effectivePolicy });
    expect(oneStepLess(p)).toBe(effectivePolicy);
  });

  test('is null if the record is too broken to apply', async () => {
    const literal = { '_dmarc.example.org': txt('v=DMARC1; adkim=s') };
    expect(await found('example.org', literal)).toMatchObject({ policy: null, effectivePolicy: null });
  });

  test('is absent if no name in the walk has a record', async () => {
    const dns = zone({ 'example.org': here });
    expect(await discoverPolicy('example.org', dns)).toEqual({
      status: 'absent',
      organizationalDomain: 'example.org',
      discarded: [],
      findings: [],
    });
  });

  test('ignores other TXT records at the same name', async () => {
    const literal = { '_dmarc.example.org': txt('v=spf1 -all', 'v=DMARC1; p=reject', 'hello') };
    expect(await found('example.org', literal)).toMatchObject({
      policy: 'reject',
      text: 'v=DMARC1; p=reject',
    });
  });

  test('needs no query for names that are too long', async () => {
    const label = 'a'.repeat(61);
    const domain = `${label}.${label}.${label}.${label}`;
    const dns = zone({ [`_dmarc.${label}.${label}.${label}`]: txt('v=DMARC1; p=reject') });
    expect(domain).toHaveLength(247);
    expect(await discoverPolicy(domain, dns)).toMatchObject({ status: 'found', policy: 'reject' });
    expect(dns.questions).not.toContain(`_dmarc.${domain} TXT`);
  });
});

describe('several records at one name count as none (RFC 9989 section 4.10)', () => {
  const two = txt('v=DMARC1; p=reject', 'v=DMARC1; p=none');
  const multipleRecords = expect.objectContaining({ id: 'dmarc-multiple-records', subject: 'example.org' });

  test('and are reported', async () => {
    expect(await discoverPolicy('example.org', zone({ '_dmarc.example.org': two }))).toMatchObject({
      status: 'absent',
      discarded: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'],
      findings: [multipleRecords],
    });
  });

  test('and the organizational domain is queried instead', async () => {
    const literal = { '_dmarc.sub.example.org': two, '_dmarc.example.org': txt('v=DMARC1; p=quarantine') };
    expect(await found('sub.example.org', literal)).toMatchObject({
      recordDomain: 'example.org',
      policy: 'quarantine',
      discarded: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'],
    });
  });

  test('and are not reported for a subdomain with its own record', async () => {
    const literal = {
      '_dmarc.example.org': two,
      '_dmarc.sub.example.org': txt('v=DMARC1; p=reject; rua=mailto:a@b.c'),
    };
    expect((await found('sub.example.org', literal)).findings).toEqual([]);
  });
});

describe('a name whose lookup failed', () => {
  test.each([
    ['makes the policy unavailable if it is the domain itself', '_dmarc.sub.example.org', 'sub.example.org'],
    ['makes the policy unavailable if it is in the walk', '_dmarc.example.org', 'sub.example.org'],
    ['makes the policy unavailable if it is above the record found', '_dmarc.org', 'sub2.example.org'],
  ])('%s', async (_, broken, domain) => {
    const literal = { '_dmarc.example.org': txt('v=DMARC1; p=reject'), [broken]: 'SERVFAIL' } as const;
    expect(await discoverPolicy(domain, zone(literal))).toEqual({
      status: 'unavailable',
      name: broken,
      reason: 'server-failure',
    });
  });

  test('keeps the own record in effect, without an organizational domain', async () => {
    const literal = { '_dmarc.example.org': txt('v=DMARC1; p=reject'), '_dmarc.org': 'TIMEOUT' } as const;
    expect(await found('example.org', literal)).toMatchObject({
      policy: 'reject',
      organizationalDomain: null,
    });
  });

  test('has no effect above psd=n', async () => {
    const literal = {
      '_dmarc.example.org': txt('v=DMARC1; p=reject; psd=n'),
      '_dmarc.org': 'TIMEOUT',
    } as const;
    expect(await found('x.example.org', literal)).toMatchObject({ organizationalDomain: 'example.org' });
  });

  test('affects existence if sp and np differ', async () => {
    const literal = {
      '_dmarc.example.org': txt('v=DMARC1; p=reject; np=none'),
      'x.example.org': 'TIMEOUT',
    } as const;
    expect(await discoverPolicy('x.example.org', zone(literal))).toMatchObject({
      status: 'unavailable',
      name: 'x.example.org',
    });
  });

  test('does not affect existence if sp and np are equal', async () => {
    const literal = {
      '_dmarc.example.org': txt('v=DMARC1; p=reject'),
      'x.example.org': { MX: 'TIMEOUT' },
    } as const;
    expect(await found('x.example.org', literal)).toMatchObject({ policy: 'reject' });
  });
});

describe('the organizational domain (RFC 9989 section 4.10.2)', () => {
  const dns = zone({
    '_dmarc.mail.example.com': txt('v=DMARC1; p=none'),
    '_dmarc.example.com': txt('v=DMARC1; p=none'),
    '_dmarc.mail.other.com': txt('v=DMARC1; p=none; psd=n'),
    '_dmarc.other.com': txt('v=DMARC1; p=none'),
    '_dmarc.suffix': txt('v=DMARC1; p=none; psd=y'),
    '_dmarc.broken.net': 'SERVFAIL',
  });

  test.each([
    ['is the shortest name with a record', 'a.mail.example.com', 'example.com'],
    ['is the name with psd=n', 'a.mail.other.com', 'mail.other.com'],
    ['is one label below psd=y', 'a.mail.example.suffix', 'example.suffix'],
    ['is the name itself if the walk starts at psd=y', 'suffix', 'suffix'],
    ['is the name itself if no record is found', 'a.b.nothing.example', 'a.b.nothing.example'],
    ['is null if the lookup of a name failed', 'a.broken.net', null],
  ])('%s', async (_, domain, expected) => {
    expect(await walkToOrganizationalDomain(domain, dns)).toBe(expected);
  });
});

test('discovery sends all queries concurrently', async () => {
  const dns = zone({ '_dmarc.example.org': txt('v=DMARC1; p=none; np=reject') }, { delayMilliseconds: 200 });
  await discoverPolicy('a.b.c.d.example.org', dns);
  expect(dns.mostAtOnce).toBe(7);
  expect(dns.questions).toHaveLength(7);
});
