import { describe, expect, test } from '@jest/globals';
import { confirmAbsence } from '../../../shared/checks/confirm-absence.ts';
import type { CheckName } from '../../../shared/checks/state.ts';
import type { Dns, RecordType } from '../../../shared/protocol/dns.ts';
import { fakeAuthorities } from '../../kit/authorities.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const NS1 = 'ns1.example.net';
const NS2 = 'ns2.example.net';
const PARENT = 'ns.org.example';
const delegated: ZoneLiteral = { 'example.org': { NS: [NS1, NS2] }, org: { NS: [PARENT] } };
const servers = [NS1, NS2, 'ns3.example.net'];
const three: ZoneLiteral = { 'example.org': { NS: servers }, org: { NS: servers } };
const digest = Buffer.alloc(32, 0xab);
const DMARC = 'v=DMARC1; p=reject';

/** What the owner knows, and how it is published. */
const published = {
  mx: { records: ['10 mx.example.org'] },
  spf: { records: ['v=spf1 -all'] },
  dkim: { records: ['s1: p=AAAA', 's2: p=BBBB'] },
  dmarc: { records: [DMARC] },
  mtaSts: { records: ['v=STSv1; id=1'] },
  tlsRpt: { records: ['v=TLSRPTv1; rua=mailto:a@example.org'] },
  bimi: { records: ['v=BIMI1; l='] },
  dnssec: { records: [`1 13 2 ${digest.toString('hex').toUpperCase()}`] },
  caa: { records: ['0 issue "ca.example.net"'] },
} satisfies Record<CheckName, object>;

const full: ZoneLiteral = {
  'example.org': {
    MX: [[10, 'mx.example.org']],
    TXT: ['other', 'v=spf1 -all'],
    DS: [{ keyTag: 1, algorithm: 13, digestType: 2, digest }],
    CAA: [{ flags: 0, tag: 'issue', value: 'ca.example.net' }],
  },
  's1._domainkey.example.org': { TXT: ['p=AAAA'] },
  '_dmarc.example.org': { TXT: [DMARC] },
  '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] },
  '_smtp._tls.example.org': { TXT: ['v=TLSRPTv1; rua=mailto:a@example.org'] },
  'default._bimi.example.org': { TXT: ['v=BIMI1; l='] },
};

const questions: readonly [CheckName, string, RecordType][] = [
  ['mx', 'example.org', 'MX'],
  ['spf', 'example.org', 'TXT'],
  ['dkim', 's1._domainkey.example.org', 'TXT'],
  ['dmarc', '_dmarc.example.org', 'TXT'],
  ['mtaSts', '_mta-sts.example.org', 'TXT'],
  ['tlsRpt', '_smtp._tls.example.org', 'TXT'],
  ['bimi', 'default._bimi.example.org', 'TXT'],
  ['dnssec', 'example.org', 'DS'],
  ['caa', 'example.org', 'CAA'],
];

/** Another resolver than `zone`, whose answers name another server. */
function otherResolver(literal: ZoneLiteral): Dns {
  const dns = zone(literal);
  return {
    async lookup(name, type, options) {
      const answer = await dns.lookup(name, type, options);
      return { ...answer, evidence: { ...answer.evidence, server: '192.0.2.54:53' } };
    },
  };
}

type Servers = Parameters<typeof fakeAuthorities>[0];

async function lookUp(
  [check, name, type]: (typeof questions)[number],
  {
    seen = delegated,
    servers,
    other,
  }: { seen?: ZoneLiteral; servers?: Servers; other?: ZoneLiteral | (() => Dns) },
) {
  const authorities = servers && fakeAuthorities(servers);
  const confirmed = confirmAbsence(
    {
      dns: zone(seen),
      ...(authorities === undefined ? {} : { authorities }),
      ...(other === undefined
        ? {}
        : { otherDns: typeof other === 'function' ? other() : otherResolver(other) }),
    },
    'example.org',
    published,
  );
  const { status, ...rest } = await confirmed.dns.lookup(name, type);
  return {
    status,
    reason: 'reason' in rest ? rest.reason : undefined,
    isUnconfirmed: confirmed.isUnconfirmed(check),
    asked: authorities?.questions ?? [],
  };
}

describe.each(questions)('a record of %s that is missing', (...question) => {
  const [, name, type] = question;
  const server = type === 'DS' ? PARENT : NS1;

  test('is not, if a name server of the zone has it', async () => {
    expect(await lookUp(question, { servers: { [server]: full } })).toEqual({
      status: 'unavailable',
      reason: 'contradicted',
      isUnconfirmed: false,
      asked: [`${server} ${name} ${type}`],
    });
  });

  test('is missing if a name server says so, too', async () => {
    const { status, isUnconfirmed } = await lookUp(question, { servers: { [server]: {} }, other: full });
    expect([status, isUnconfirmed]).toEqual(['absent', false]);
  });

  test('is not, if another resolver has it and no name server answers', async () => {
    const { reason } = await lookUp(question, { servers: {}, other: full });
    expect(reason).toBe('contradicted');
  });

  test.each<[string, Parameters<typeof lookUp>[1]]>([
    ['no name server answers', { servers: {} }],
    ['the other resolver fails, too', { servers: {}, other: { [name]: 'SERVFAIL' } }],
    ['the other resolver gave the first answer, too', { servers: {}, other: () => zone(full) }],
    ['there is no second source', {}],
    ['the zone is not known', { seen: {}, servers: { [server]: full } }],
    ['only the third of its name servers has it', { seen: three, servers: { 'ns3.example.net': full } }],
  ])('is unconfirmed if %s', async (_, given) => {
    const { status, isUnconfirmed } = await lookUp(question, given);
    expect([status, isUnconfirmed]).toEqual(['absent', true]);
  });
});

describe('a second source', () => {
  test('is asked about a set without the known record', async () => {
    const seen = { ...delegated, 'example.org': { NS: [NS1], TXT: ['other'] } };
    const spf = questions[1] as (typeof questions)[number];
    expect((await lookUp(spf, { seen, servers: { [NS1]: full } })).reason).toBe('contradicted');
    expect(
      (await lookUp(spf, { seen, servers: { [NS1]: { 'example.org': { TXT: ['other'] } } } })).status,
    ).toBe('found');
  });

  test.each<[string, CheckName, string, RecordType]>([
    ['what was never published', 'dkim', 's3._domainkey.example.org', 'TXT'],
    ['what no check shows', 'mx', 'mx.example.org', 'A'],
    ['the records of other domains', 'spf', 'include.example.net', 'TXT'],
  ])('is not asked about %s', async (_, ...question) => {
    expect((await lookUp(question, { servers: { [NS1]: full } })).asked).toEqual([]);
  });

  test('is not asked while the record is there', async () => {
    const seen = { ...full, ...delegated, '_dmarc.example.org': { TXT: [DMARC] } };
    expect(await lookUp(['dmarc', '_dmarc.example.org', 'TXT'], { seen, servers: {} })).toMatchObject({
      status: 'found',
      asked: [],
    });
  });

  test('that has an alias is followed to the servers of its target', async () => {
    const target = 's1.provider.example';
    const seen: ZoneLiteral = { ...delegated, 'provider.example': { NS: ['ns.provider.example'] } };
    const servers: Servers = {
      [NS1]: { 's1._domainkey.example.org': { CNAME: [target] } },
      'ns.provider.example': { [target]: { TXT: ['p=AAAA'] } },
    };
    const { reason, asked } = await lookUp(['dkim', 's1._domainkey.example.org', 'TXT'], { seen, servers });
    expect([reason, asked]).toEqual([
      'contradicted',
      [`${NS1} s1._domainkey.example.org TXT`, `ns.provider.example ${target} TXT`],
    ]);
  });

  test('whose aliases never end is none', async () => {
    const servers: Servers = { [NS1]: { '_dmarc.example.org': { CNAME: ['_dmarc.example.org'] } } };
    const { isUnconfirmed, asked } = await lookUp(['dmarc', '_dmarc.example.org', 'TXT'], { servers });
    expect([isUnconfirmed, asked.length]).toEqual([true, 5]);
  });

  test('is asked once for several checks', async () => {
    const authorities = fakeAuthorities({ [NS1]: {} });
    const { dns } = confirmAbsence({ dns: zone(delegated), authorities }, 'example.org', published);
    await Promise.all([1, 2, 3].map(() => dns.lookup('_dmarc.example.org', 'TXT')));
    expect(authorities.questions).toHaveLength(1);
  });
});
