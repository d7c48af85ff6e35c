import { describe, expect, test } from '@jest/globals';
import { differenceOf } from '../../../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../../../shared/checks/preview/preview.ts';
import { readChanges } from '../../../../shared/checks/preview/proposal.ts';
import { systemClock } from '../../../../shared/network/clock.ts';
import type { Network } from '../../../../shared/network/ports.ts';
import type { Dns } from '../../../../shared/protocol/dns.ts';
import { describeFor } from '../../../../shared/protocol/findings/catalogue.ts';
import type { ZoneSet } from '../../../../shared/protocol/zone-file/record-set.ts';
import { fakeAuthorities } from '../../../kit/authorities.ts';
import { fakeSmtp } from '../../../kit/fake-smtp.ts';
import { fakeWeb } from '../../../kit/web.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const DOMAIN = { domain: 'example.org', testEmailLocalPart: null, knownSelectors: [] };
const DMARC: ZoneSet = {
  name: '_dmarc.example.org',
  type: 'TXT',
  ttl: 60,
  values: ['v=DMARC1; p=none; rua=mailto:d@example.org'],
};
const literal: ZoneLiteral = {
  'example.org': {
    MX: [[10, 'mx.example.org']],
    TXT: ['v=spf1 -all'],
    NS: ['ns1.example.net', 'ns2.example.net'],
  },
  'mx.example.org': { A: ['192.0.2.1'] },
  '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] },
};
const policy = 'version: STSv1\nmode: testing\nmx: mx.example.org\nmax_age: 604800\n';

function checkContext(dns: Dns = zone(literal)) {
  const served = fakeWeb({
    'https://mta-sts.example.org/.well-known/mta-sts.txt': { type: 'text/plain', body: policy },
  });
  const web = fakeWeb({});
  const authorities = fakeAuthorities({
    'ns1.example.net': { '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] } },
    'ns2.example.net': {},
  });
  /** The policy is at the address that is proposed. */
  const over = (answers: Dns): Pick<Network, 'web' | 'authorities'> => ({
    authorities,
    web: {
      async get(request) {
        const address = await answers.lookup('mta-sts.example.org', 'A');
        return (address.status === 'found' ? served : web).get(request);
      },
    },
  });
  const smtp = fakeSmtp();
  const network = { dns, web, over, smtp, clock: systemClock, authorities };
  return { checkContext: { network, trustAnchors: [] }, smtp, web };
}

async function preview(sets: readonly ZoneSet[], world = checkContext()) {
  const made = await previewChecks(DOMAIN, sets, world.checkContext);
  if (!made.ok) throw new Error(made.conflicts.join());
  return { ...made, ...differenceOf(made.before, made.after) };
}

describe('a preview', () => {
  test('shows what the change resolves and introduces, and keeps findings about name servers', async () => {
    const { before, after, resolved, introduced } = await preview([DMARC]);
    expect([before.dmarc.state, after.dmarc.policy]).toEqual(['absent', 'none']);
    expect(resolved.map(({ check, id }) => [check, id])).toEqual([['dmarc', 'dmarc-missing']]);
    expect(introduced.map(({ id }) => id)).toEqual(['dmarc-monitoring-only']);
    for (const { dmarc } of [before, after])
      expect(dmarc.findings.map(({ id }) => id)).toContain('zone-servers-disagree');
  });

  test('says which DKIM key in use a change removes, by the reports of the last days', async () => {
    const lastProven = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const dkimHistory = {
      uses: [{ selector: 's1', lastSeen: lastProven, lastProven }],
      ...{ keys: [], isPartial: false, usedDays: 30 },
      reportedUse: async () => ({
        selectors: new Map([['s1', { passed: 4120, failed: 0, last: lastProven }]]),
        isReporting: true,
      }),
      elsewhere: async () => new Map(),
    };
    const name = 's1._domainkey.example.org';
    const { checkContext: asked } = checkContext(zone({ ...literal, [name]: { TXT: ['v=DKIM1; p=AAAA'] } }));
    const removed: ZoneSet = { name, type: 'TXT', ttl: 60, values: [] };
    const made = await previewChecks({ ...DOMAIN, knownSelectors: ['s1'], dkimHistory }, [removed], asked);
    if (!made.ok) throw new Error(made.conflicts.join());
    const { introduced } = differenceOf(made.before, made.after);
    expect(introduced.map(({ id, subject }) => [id, subject])).toContainEqual(['dkim-used-key-gone', 's1']);
    const texts = made.after.dkim.findings.map(describeFor({ domain: 'example.org' }));
    expect(texts.map(({ message }) => message).join('\n')).toContain(
      'Reports of large receivers of the last 30 days saw at least 4,120 messages signed with selector s1, until',
    );
  });

  test('asks every question once for both runs', async () => {
    const dns = zone(literal);
    const given = checkContext(dns);
    await preview([DMARC], given);
    const lookups = dns.questions.filter((question) => question === 'mx.example.org A');
    const probes = given.smtp.probes.map(({ address }) => address);
    expect([lookups.length, probes, given.web.requests.length]).toEqual([1, ['192.0.2.1'], 1]);
  });

  test('fetches from proposed addresses', async () => {
    const host: ZoneSet = { name: 'mta-sts.example.org', type: 'A', ttl: 60, values: ['192.0.2.2'] };
    const { before, after } = await preview([host]);
    expect([before.mtaSts.policyFetched, after.mtaSts.policyMode]).toEqual([false, 'testing']);
  });

  test('rejects a CNAME record beside other data', async () => {
    const alias: ZoneSet = { name: 'mx.example.org', type: 'CNAME', ttl: 60, values: ['a.example.net'] };
    expect(await previewChecks(DOMAIN, [alias], checkContext().checkContext)).toEqual({
      ok: false,
      conflicts: ['mx.example.org'],
    });
  });
});

describe('the changes of a request', () => {
  test.each([
    [{ name: 'example.net', type: 'TXT', after: ['x'] }, 'example.net is outside of example.org'],
    [{ name: 'a b.example.org', type: 'TXT', after: ['x'] }, 'invalid name: a b.example.org'],
    [{ name: 'a.example.org', type: 'A', after: ['x'] }, 'invalid A record at a.example.org'],
    [{ name: 'a.example.org', type: 'MX', after: ['x'] }, 'invalid MX record at a.example.org'],
    [{ name: 'a.example.org', type: 'CNAME', after: ['b c'] }, 'invalid CNAME record at a.example.org'],
    [
      { name: 'a.example.org', type: 'CNAME', after: ['b.example', 'c.example'] },
      'a.example.org has a CNAME record beside other data',
    ],
  ] as const)('%j are rejected', (change, problem) => {
    expect(readChanges([change], 'example.org')).toEqual({ ok: false, problems: [problem] });
  });

  test.each([
    ['none', 0, 'the proposal contains no record set'],
    ['one', 1, undefined],
    ['500', 500, undefined],
    ['501', 501, 'more than 500 record sets'],
  ])('%s', (_, length, problem) => {
    const sets = Array.from(
      { length },
      (_, n) => ({ name: `n${n}.example.org`, type: 'TXT', after: ['x'] }) as const,
    );
    expect(readChanges(sets, 'example.org')).toMatchObject(
      problem === undefined ? { ok: true } : { problems: [problem] },
    );
  });

  test.each([
    ['a CNAME record beside others', ['TXT', ['x']], ['CNAME', ['b.example']], false],
    ['a CNAME record in place of others', ['TXT', []], ['CNAME', ['b.example']], true],
    ['others in place of a CNAME record', ['TXT', ['x']], ['CNAME', []], true],
    ['others beside others', ['TXT', ['x']], ['A', ['192.0.2.1']], true],
  ] as const)('can be %s', (_, one, other, ok) => {
    const changes = [one, other].map(([type, after]) => ({ name: 'a.example.org', type, after }));
    expect(readChanges(changes, 'example.org').ok).toBe(ok);
  });
});
