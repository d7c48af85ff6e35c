import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import {
  checkDomain,
  type DmarcReport,
  evaluateSpf,
  parseDmarcReport,
  planFixes,
  simulate,
  writePlan,
} from '../../../lib/library/index.ts';
import { startDnsServer } from '../../kit/dns-server.ts';
import { dmarcXml } from '../../kit/report-mails.ts';
import { use } from '../../kit/use.ts';

const server = await use(
  startDnsServer({
    'example.com': { TXT: ['v=spf1 ip4:192.0.2.0/24 ip4:192.0.2.0/24 -all'], MX: [[0, '.']] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=none'] },
    'fails.example': { TXT: 'SERVFAIL' },
  }),
);
const options = { dnsServers: [`127.0.0.1:${server.port}`], probeSmtp: false };

test('checks a domain, and plans fixes from that without further lookups', async () => {
  const check = await checkDomain('Example.com.', { ...options, usageType: 'sends-only' });
  expect(check).toMatchObject({ domain: 'example.com', usageType: 'sends-only' });
  expect(check.results.dmarc).toMatchObject({ record: 'v=DMARC1; p=none', policy: 'none' });
  expect(check.results.spf.findings).toContainEqual(
    expect.objectContaining({
      id: 'spf-duplicate-term',
      message: expect.stringContaining('ip4:192.0.2.0/24'),
    }),
  );
  // Plain JSON, so that it can be kept.
  const kept = JSON.parse(JSON.stringify(check));
  const asked = server.queries.length;
  const plan = await planFixes(kept);
  expect(plan.changes).toContainEqual(
    expect.objectContaining({ class: 'safe', after: ['v=spf1 ip4:192.0.2.0/24 -all'] }),
  );
  expect(writePlan(plan, 'zone')).toContain('"v=spf1 ip4:192.0.2.0/24 -all"');
  expect(server.queries).toHaveLength(asked);
});

test('says what is no domain', async () => {
  await expect(checkDomain('192.0.2.1', options)).rejects.toThrow(TypeError);
});

test('evaluates SPF, and tells a failed lookup from a missing record', async () => {
  const resultOf = async (ip: string, domain: string) =>
    (await evaluateSpf({ ip, mailFrom: `a@${domain}` }, options)).result;
  expect(await resultOf('192.0.2.9', 'example.com')).toBe('pass');
  expect(await resultOf('198.51.100.1', 'example.com')).toBe('fail');
  expect(await resultOf('192.0.2.9', 'fails.example')).toBe('temperror');
  expect(await resultOf('192.0.2.9', 'missing.example')).toBe('none');
});

test('reads reports, and replays a proposal against those about the domain', async () => {
  const read = async (domain: string) => {
    const [reading] = await parseDmarcReport(dmarcXml({ domain }));
    return reading as DmarcReport;
  };
  const own = await read('example.com');
  expect(own.rows.length).toBeGreaterThan(0);
  const [refused] = await parseDmarcReport('<html>');
  expect(refused).toMatchObject({ outcome: 'not-a-report' });

  const proposal = { domain: 'example.com', dmarc: 'v=DMARC1; p=reject' };
  const outcome = await simulate([own, await read('example.net')], proposal, options);
  if (!('simulation' in outcome)) throw new Error('the record is valid');
  const { summary, current } = outcome.simulation;
  expect(current.dmarc).toMatch(/^v=DMARC1; p=/);
  expect(summary.messages).toBe(own.counts.messages);
  expect(summary.proposed.reject).toBe(own.counts.failed);
  expect(await simulate([own], { ...proposal, dmarc: 'p=reject' }, options)).toEqual({
    problems: [{ record: 'dmarc', message: expect.stringContaining('v=DMARC1') }],
  });
});

test('a bundle has only what it imports, and an import without a use leaves nothing', async () => {
  const inputs = async (contents: string) => {
    const { metafile } = await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      ...{ bundle: true, write: false, metafile: true, platform: 'node', format: 'esm', logLevel: 'error' },
    });
    const [{ inputs = {} } = {}] = Object.values(metafile.outputs);
    return Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : []));
  };
  const library = "'../../../lib/library/index.ts'";
  expect(await inputs(`import ${library};`)).toEqual([]);
  const spf = await inputs(`import { evaluateSpf } from ${library}; console.log(evaluateSpf);`);
  expect(spf).toContain('shared/protocol/spf/evaluate.ts');
  const others =
    /^shared\/(?:fixes|enforcement|reports|checks\/inspect|score|protocol\/findings\/catalogue)\b|mailparser/;
  expect(spf.filter((name) => others.test(name))).toEqual([]);
});
