import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { createNetwork } from '../../../shared/network/network.ts';
import type { Network } from '../../../shared/network/ports.ts';
import { shareProbes } from '../../../shared/network/share-probes.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { hasBind, startBind } from '../../kit/bind.ts';
import { fakeSmtp, withoutTls } from '../../kit/fake-smtp.ts';
import { messageOf } from '../../kit/findings.ts';
import { use } from '../../kit/use.ts';
import { fakeWeb } from '../../kit/web.ts';
import { withExtendedError, type ZoneLiteral, zone } from '../../kit/zone.ts';
import { networkOf } from '../protocol/findings/cases/example.ts';

const policy = 'version: STSv1\nmode: enforce\nmx: mx.host.example\nmax_age: 604800\n';

const checked = (domain: string) => ({ domain, testEmailLocalPart: null, knownSelectors: [] });

/** A domain whose mail goes to a host that many domains share. */
function names(domain: string): ZoneLiteral {
  return {
    [domain]: { MX: [[10, 'mx.host.example']] },
    [`_mta-sts.${domain}`]: { TXT: ['v=STSv1; id=1'] },
    'mx.host.example': { A: ['192.0.2.25'], AAAA: ['2001:db8::25'] },
  };
}

function world(domains: readonly string[]) {
  const pages = domains.map((domain) => [
    `https://mta-sts.${domain}/.well-known/mta-sts.txt`,
    { type: 'text/plain', body: policy },
  ]);
  const smtp = fakeSmtp(async ({ recipient }) => {
    await pause(5);
    return recipient === undefined ? withoutTls : { ...withoutTls, recipient: 'accepted' };
  });
  const network: Network = {
    dns: zone(Object.assign({}, ...domains.map(names))),
    web: fakeWeb(Object.fromEntries(pages)),
    smtp: shareProbes(smtp, systemClock),
    clock: systemClock,
  };
  const inspect = (domain: string, testEmailLocalPart: string | null) =>
    inspectDomain({ ...checked(domain), testEmailLocalPart }, { network, trustAnchors: [] });
  return { inspect, dialled: smtp.probes };
}

describe('the MX hosts of a domain', () => {
  test.each([null, 'postmaster'])('are dialled once for all checks, with the mailbox %s', async (mailbox) => {
    const { inspect, dialled } = world(['example.org']);
    const { mx, mtaSts } = await inspect('example.org', mailbox);
    expect(dialled.map(({ address }) => address)).toEqual(['192.0.2.25', '2001:db8::25']);
    const recipient = mailbox === null ? undefined : 'postmaster@example.org';
    expect(dialled.map((request) => request.recipient)).toEqual([recipient, recipient]);
    expect(mx.findings.map(({ id }) => id)).toEqual(['mx-no-starttls', 'mx-no-starttls']);
    expect(mtaSts.findings.map(({ id }) => id)).toEqual(['mta-sts-mx-not-secure']);
  });

  const fifty = Array.from({ length: 50 }, (_, index) => `d${index}.example`);

  test('are dialled once for fifty domains without report mailboxes', async () => {
    const { inspect, dialled } = world(fifty);
    for (const domain of fifty) await inspect(domain, null);
    expect(dialled).toHaveLength(2);
  });

  test('are probed with the mailbox of each of fifty domains', async () => {
    const { inspect, dialled } = world(fifty);
    await Promise.all(fifty.map((domain) => inspect(domain, 'postmaster')));
    expect(dialled.map(({ recipient }) => recipient).toSorted()).toEqual(
      fifty.flatMap((domain) => [`postmaster@${domain}`, `postmaster@${domain}`]).toSorted(),
    );
  });
});

test('every check shows the extended DNS errors of its failed lookups (RFC 8914)', async () => {
  const failing = { status: 'unavailable', reason: 'server-failure', evidence: { milliseconds: 1 } } as const;
  const dns = withExtendedError({ lookup: async () => failing }, 'DNSSEC Bogus: "no key"');
  const domain = { ...checked('example.org'), knownSelectors: ['s1'] };
  const network = networkOf({ dns, web: fakeWeb({}) });
  const results = await inspectDomain(domain, { network, trustAnchors: [] });
  const { selectors } = results.dkim;
  for (const [name, { findings }] of Object.entries({
    ...results,
    dkim: { findings: selectors[0]?.findings ?? [] },
  })) {
    const messages = findings.map((finding) => messageOf(finding));
    expect([name, messages]).toEqual([
      name,
      expect.arrayContaining([expect.stringContaining('(server-failure, DNSSEC Bogus: "no key")')]),
    ]);
  }
});

test('what one domain revealed about the resolver is reused for the next', async () => {
  const key = { flags: 257, algorithm: 13, key: new Uint8Array(64) };
  const soa = { SOA: [{ mname: 'ns.example', rname: 'admin.example', serial: 1, minimum: 60 }] };
  const answers = zone({ '.': { ...soa, DNSKEY: [key] }, 'example.org': soa, 'example.net': soa });
  const dns: Dns = {
    async lookup(name, type) {
      const answer = await answers.lookup(name, type);
      if (answer.status !== 'found') return answer;
      return { ...answer, sets: [{ name: answer.name, type, ttl: 300, rdata: [], signatures: [] }] };
    },
  };
  const network = networkOf({ dns, web: fakeWeb({}) });
  const root = { zone: '', ds: { keyTag: 1, algorithm: 13, digestType: 2, digest: new Uint8Array(32) } };
  const checkContext = { network, trustAnchors: [root], strippedZones: new Map() };
  const states: string[] = [];
  const questions: string[][] = [];
  for (const domain of ['example.org', 'example.net']) {
    const before = answers.questions.length;
    const { dnssec } = await inspectDomain(checked(domain), checkContext);
    states.push(dnssec.state);
    questions.push(answers.questions.slice(before).filter((question) => / (DNSKEY|DS)$/.test(question)));
  }
  expect(states).toEqual(['unknown', 'unknown']);
  expect(questions).toEqual([expect.arrayContaining([' DNSKEY']), []]);
});

(hasBind() ? describe : describe.skip)('two BIND name servers', () => {
  async function inspectServed(second: readonly string[]) {
    const records = [
      '@ IN NS ns2.example.org.',
      'ns2 IN A 192.0.2.54',
      '@ IN MX 0 .',
      '@ IN TXT "v=spf1 -all"',
    ];
    const serve = async (more: readonly string[]) => {
      const server = await use(startBind(['example.org']));
      await server.publish('example.org', [...records, ...more]);
      const [address = '', port = ''] = server.server.split(':');
      return { address, port: Number(port) };
    };
    const [one, two] = await Promise.all([serve([]), serve(second)]);
    const dialMap = new Map([
      ['ns.example.org:53', one],
      ['ns2.example.org:53', two],
    ]);
    const network = createNetwork({ dnsServers: [one], dialMap, ehloName: 'checker.test' });
    return inspectDomain(checked('example.org'), { network, trustAnchors: [] });
  }

  test('that agree raise no finding', async () => {
    const { mx, spf } = await inspectServed([]);
    expect([mx.findings, spf.findings]).toEqual([[], []]);
  });

  test('that disagree on the SPF record are reported with both answers', async () => {
    const { mx, spf } = await inspectServed(['@ IN TXT "v=spf1 ~all"']);
    expect(mx.findings).toEqual([]);
    expect(spf).toMatchObject({ record: 'v=spf1 -all', valid: true, state: 'warning' });
    expect(spf.findings.map(({ arguments: values }) => values.answers)).toEqual([
      ['ns.example.org: "v=spf1 -all"', 'ns2.example.org: "v=spf1 -all" "v=spf1 ~all"'],
    ]);
  });
});

test('the name servers of the zone are part of the results, unless their lookup failed', async () => {
  const dnssecOf = async (literal: ZoneLiteral) => {
    const network = networkOf({ dns: zone(literal), web: fakeWeb({}) });
    return (await inspectDomain(checked('example.org'), { network, trustAnchors: [] })).dnssec;
  };
  const { nameServers } = await dnssecOf({ 'example.org': { NS: ['ns2.example.net', 'ns1.example.net'] } });
  expect(nameServers).toEqual(['ns1.example.net', 'ns2.example.net']);
  expect(await dnssecOf({ 'example.org': 'SERVFAIL' })).not.toHaveProperty('nameServers');
});
