import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { publicationOf } from '../../../lib/admin/dns-check.ts';
import { runDns } from '../../../lib/admin/dns-command.ts';
import { dnsOutputs } from '../../../lib/cloud/dns-outputs.ts';
import { type DnsFacts, requiredRecords } from '../../../lib/cloud/dns-records.ts';
import { CommandError } from '../../../lib/terminal/command-line.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { ConfigError } from '../../../shared/runtime/config/config.ts';
import { type DnsServer, startDnsServer } from '../../kit/dns-server.ts';
import { runToEnd } from '../../kit/service.ts';
import { use, useFolder } from '../../kit/use.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';

const apiTarget = 'd-1.execute-api.eu-west-1.amazonaws.com';

const facts: DnsFacts = {
  reportsDomain: 'reports.acme.org',
  testerDomain: 'tester.acme.org',
  region: 'eu-west-1',
  alertSender: 'alerts@acme.org',
  dkimTokens: ['reports.acme.org', 'tester.acme.org', 'acme.org'].flatMap((domain) =>
    ['a1', 'b2', 'c3'].map((key) => ({
      name: `${key}._domainkey.${domain}`,
      value: `${key}.dkim.amazonses.com`,
    })),
  ),
  apiDomain: { name: 'api.acme.org', target: apiTarget },
};

let server: DnsServer | undefined;
const folder = useFolder('outputs');

/** Writes a file in the format of `cdk deploy --outputs-file`. Text is written unchanged. */
function outputsFile(content: string | object): string {
  const path = join(folder, 'outputs.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** Writes the outputs of two stacks, which include more than the DNS records need. */
const deployed = () => {
  const { apiDomain, ...mail } = facts;
  return outputsFile({
    'domain-monitor-mail-prod': { ...dnsOutputs(mail), RuleSetName: 'rules' },
    'domain-monitor-service-prod': { ...dnsOutputs({ apiDomain }), ApiUrl: 'https://api.acme.org' },
  });
};

/** A zone in which all required records are published; `other` replaces the records of its names. */
function publishedZone(other: ZoneLiteral = {}): ZoneLiteral {
  const names: Record<string, Record<string, unknown[]>> = {};
  for (const { name, type, value } of requiredRecords(facts)) {
    const [preference, exchange] = value.split(' ');
    const data = type === 'MX' ? [Number(preference), exchange] : value;
    names[name] = { ...names[name], [type]: [data] };
  }
  return { ...(names as ZoneLiteral), ...other };
}

async function check(zone: ZoneLiteral, args: readonly string[] = ['--outputs', deployed()]) {
  server = await use(startDnsServer(zone));
  const { output, code } = await runDns(['check', ...args], { DNS_SERVERS: `127.0.0.1:${server.port}` });
  return { lines: output.split('\n'), code };
}

const flags = ['--reports-domain', 'reports.acme.org', '--tester-domain', 'tester.acme.org'];

describe('dns print', () => {
  test('prints every record that follows from the stack outputs', async () => {
    const { output, code } = await runDns(['print', '--outputs', deployed()], {});
    const lines = output.split('\n').filter((line) => !line.startsWith(';'));
    expect([lines.length, code]).toEqual([requiredRecords(facts).length, 0]);
    expect(lines).toEqual(
      expect.arrayContaining([
        'reports.acme.org. 300 IN MX 10 inbound-smtp.eu-west-1.amazonaws.com.',
        'tester.acme.org. 300 IN MX 10 inbound-smtp.eu-west-1.amazonaws.com.',
        'reports.acme.org. 300 IN TXT "v=spf1 -all"',
        '_dmarc.tester.acme.org. 300 IN TXT "v=DMARC1; p=reject"',
        '*._report._dmarc.reports.acme.org. 300 IN TXT "v=DMARC1"',
        'c3._domainkey.tester.acme.org. 300 IN CNAME c3.dkim.amazonses.com.',
        'mail.acme.org. 300 IN MX 10 feedback-smtp.eu-west-1.amazonses.com.',
        'mail.acme.org. 300 IN TXT "v=spf1 include:amazonses.com -all"',
        `api.acme.org. 300 IN CNAME ${apiTarget}.`,
      ]),
    );
    expect(output).not.toContain('Not listed');
  });

  test('lists what it cannot print without the outputs', async () => {
    const { output } = await runDns(['print', ...flags, '--region', 'eu-west-1'], {});
    for (const domain of ['reports.acme.org', 'tester.acme.org'])
      expect(output).toContain(`; Not listed: three CNAME records <key>._domainkey.${domain}`);
    expect(output).toContain('use --outputs');
  });

  test('prints JSON', async () => {
    const args = ['print', ...flags, '--region', 'eu-west-1', '--json'];
    const { records, notListed } = JSON.parse((await runDns(args, {})).output);
    expect(records).toContainEqual({
      ...{ name: 'reports.acme.org', type: 'MX', value: '10 inbound-smtp.eu-west-1.amazonaws.com' },
      why: expect.any(String),
    });
    expect(notListed[0]).toContain('_domainkey.reports.acme.org');
  });

  test('prefers a flag to the outputs', async () => {
    const { output } = await runDns(['print', '--outputs', deployed(), '--region', 'us-east-1'], {});
    expect(output).toContain('inbound-smtp.us-east-1.amazonaws.com.');
  });

  test.each([
    ['an unknown flag', ['print', '--zone', 'x'], '--zone'],
    ['missing values', ['print', ...flags], 'use --outputs, or all of'],
    [
      'one domain for reports and test messages',
      ['print', '--reports-domain', 'a.org', '--tester-domain', 'a.org', '--region', 'eu-west-1'],
      'must be different',
    ],
    ['a missing file', ['print', '--outputs', '/nowhere/outputs.json'], 'ENOENT'],
  ])('rejects %s', async (_what, args, message) => {
    const refused = runDns(args, {});
    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(message);
  });

  test.each([
    ['invalid JSON', '{', 'JSON'],
    ['other JSON', '[1]', 'does not contain stack outputs'],
    ['two deployments', { a: { DnsRegion: 'eu-west-1' }, b: { DnsRegion: 'us-east-1' } }, 'more than one'],
  ])('rejects a file with %s', async (_what, content, message) => {
    await expect(runDns(['print', '--outputs', outputsFile(content)], {})).rejects.toThrow(message);
  });

  test.each([
    [['--region', 'Frankfurt'], 'region must be a region'],
    [['--alert-sender', 'nobody'], 'alertSender must be an address'],
    [['--reports-domain', 'a b'], 'reportsDomain must be a host name'],
  ])('rejects %j', async (args, message) => {
    const refused = runDns(['print', '--outputs', deployed(), ...args], {});
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(message);
  });
});

describe('dns check', () => {
  test('finds all published records, and exits with 0', async () => {
    const { lines, code } = await check(publishedZone());
    expect(lines.filter((line) => !line.startsWith('published'))).toEqual(['19 of 19 records are published']);
    expect(code).toBe(0);
    expect(server?.queries.some((query) => query.includes('example._report._dmarc.reports.acme.org'))).toBe(
      true,
    );
  });

  test('prints JSON with the status of each record', async () => {
    const zone = publishedZone({ 'reports.acme.org': { MX: [[10, 'mx.other.example']] } });
    const { lines, code } = await check(zone, ['--outputs', deployed(), '--json']);
    const { records, notListed } = JSON.parse(lines.join('\n'));
    const differs = { status: 'differs', there: ['10 mx.other.example'] };
    expect(records).toContainEqual(
      expect.objectContaining({ name: 'reports.acme.org', type: 'MX', ...differs }),
    );
    const states = new Set(records.map(({ status }: { status: string }) => status));
    expect(states).toEqual(new Set(['differs', 'missing', 'published']));
    expect([notListed, code]).toEqual([[], 1]);
  });

  const OWN_MX = [10, 'inbound-smtp.eu-west-1.amazonaws.com'] as const;
  const ownTxt = { TXT: ['v=spf1 -all'] };
  const mx = (MX: unknown) => ({ 'tester.acme.org': { ...ownTxt, MX } });
  const spf = (...TXT: string[]) => ({ 'tester.acme.org': { MX: [OWN_MX], TXT } });
  const dmarc = (text: string) => ({ '_dmarc.tester.acme.org': { TXT: [text] } });
  const alias = (node: object) => ({
    'api.acme.org': node,
    [apiTarget]: { A: ['192.0.2.1', '192.0.2.2'] },
  });

  test.each<[record: string, what: string, zone: object, status: string, there?: string]>([
    ['tester.acme.org MX', 'no record', { 'tester.acme.org': ownTxt }, 'missing'],
    ['tester.acme.org MX', 'another host', mx([[10, 'mx.a.example']]), 'differs', '10 mx.a.example'],
    ['tester.acme.org MX', 'another one', mx([OWN_MX, [20, 'mx.a.example']]), 'differs', '20 mx.a.example'],
    ['tester.acme.org MX', 'its preference', mx([[5, OWN_MX[1].toUpperCase()]]), 'published'],
    ['tester.acme.org MX', 'a failed lookup', mx('SERVFAIL'), 'lookup failed', 'server-failure'],
    ['tester.acme.org TXT', 'no record', spf(), 'missing'],
    ['tester.acme.org TXT', 'only others', spf('verify=1', 'v=spf10 -all'), 'missing'],
    ['tester.acme.org TXT', 'it among others', spf('verify=1', 'V=SPF1  -all '), 'published'],
    ['tester.acme.org TXT', 'another policy', spf('v=spf1 include:x.example -all'), 'differs'],
    ['tester.acme.org TXT', 'it twice', spf('v=spf1 -all', 'v=spf1 -all'), 'differs'],
    ['tester.acme.org TXT', 'control characters', spf('v=spf1 \u001b[31m -all'), 'differs'],
    ['_dmarc.tester.acme.org TXT', 'other spaces', dmarc('v=DMARC1;p=reject;'), 'published'],
    ['_dmarc.tester.acme.org TXT', 'more', dmarc('v=DMARC1; p=reject; rua=mailto:x@acme.org'), 'published'],
    ['_dmarc.tester.acme.org TXT', 'another policy', dmarc('v=DMARC1; p=none'), 'differs'],
    ['_dmarc.tester.acme.org TXT', 'no policy', dmarc('v=DMARC1; p=rejected'), 'differs'],
    ['api.acme.org CNAME', 'another target', alias({ CNAME: ['d-2.example'] }), 'differs'],
    ['api.acme.org CNAME', 'addresses of the target', alias({ A: ['192.0.2.1'] }), 'published'],
    ['api.acme.org CNAME', 'other addresses', alias({ A: ['192.0.2.9'] }), 'differs'],
    ['api.acme.org CNAME', 'no addresses', alias({}), 'missing'],
  ])('reports %s with %s', async (record, _what, zone, status, there = '') => {
    const { lines, code } = await check(publishedZone(zone as ZoneLiteral));
    const at = lines.findIndex((line) => line.includes(` ${record} `));
    expect(lines[at]).toMatch(new RegExp(`^${status} `));
    expect(lines.slice(at, at + 3).join('\n')).toContain(there);
    expect(lines.join()).not.toContain('\u001b');
    expect(code).toBe(status === 'published' ? 0 : 1);
  });

  test('names the server of a failed lookup, if one was asked', async () => {
    const [record] = requiredRecords(facts).filter(({ type }) => type === 'TXT');
    if (record === undefined) throw new Error('no record');
    const reasonOf = async (evidence: object) => {
      const answer = {
        status: 'unavailable',
        reason: 'deadline',
        evidence: { milliseconds: 0, ...evidence },
      };
      const dns = { lookup: async () => answer } as unknown as Dns;
      return publicationOf(record, [record], dns);
    };
    const failed = { status: 'lookup failed', reason: 'deadline' };
    expect(await reasonOf({})).toEqual(failed);
    const asked = { ...failed, reason: 'deadline (192.0.2.53:53)' };
    expect(await reasonOf({ server: '192.0.2.53:53' })).toEqual(asked);
  });

  test('exits with 1 if it does not know all records', async () => {
    const args = [...flags, '--region', 'eu-west-1'];
    const { lines, code } = await check(publishedZone(), args);
    expect(lines.at(-1)).toBe('7 of 7 records are published');
    expect(lines.filter((line) => line.startsWith('unknown'))).toHaveLength(2);
    expect(code).toBe(1);
  });

  test('exits with its code when run as a command', async () => {
    server = await use(startDnsServer(publishedZone()));
    const environment = { DNS_SERVERS: `127.0.0.1:${server.port}` };
    const ended = await runToEnd('dns.ts', ['check', '--outputs', deployed()], environment);
    expect([ended.code, ended.output.trim().split('\n').at(-1)]).toEqual([
      0,
      '19 of 19 records are published',
    ]);
    const refused = await runToEnd('dns.ts', ['check'], environment);
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining('use --outputs, or all of')]);
  });
});
