/** The program of the GitHub Action, as a runner starts it: with environment variables and files. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ACTION_FILE, buildAction } from '../../../lib/package/action.ts';
import { readDocument } from '../../docs/documents.ts';
import { type ApiClient, apiClient } from '../../kit/api-client.ts';
import { startDnsServer } from '../../kit/dns-server.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import type { BootedService } from '../../kit/service.ts';
import { sendMail } from '../../kit/smtp-client.ts';
import { until } from '../../kit/until.ts';
import { use, useFolder } from '../../kit/use.ts';
import { useService } from '../../kit/use-service.ts';

const metadata = parse(readDocument('action.yml'));
const main = fileURLToPath(new URL('../../../bin/action.ts', import.meta.url));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: repository });
const server = await use(
  startDnsServer({
    'example.com': {
      TXT: ['v=spf1 -all'],
      MX: [[10, 'mx.example.com']],
    },
    'mx.example.com': { A: ['192.0.2.1'] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; | <b>`injected`</b>'] },
  }),
);
const repository = useFolder('action');
git('init', '--quiet', '--initial-branch=main');
writeFileSync(join(repository, 'zone'), '@ IN TXT "v=spf1 -all"\n_dmarc IN TXT "v=DMARC1; p=none"\n');
git('add', '.');
git('commit', '--quiet', '--message=base');

async function run(given: Record<string, string>, { program = main, cwd = repository } = {}) {
  const files = {
    GITHUB_OUTPUT: join(repository, 'output'),
    GITHUB_STEP_SUMMARY: join(repository, 'summary'),
  };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const defaults = Object.entries<{ readonly default?: string }>(metadata.inputs).map(([name, row]) => [
    name,
    name === 'base' ? 'main' : (row.default ?? ''),
  ]);
  const inputs = Object.entries({ ...Object.fromEntries(defaults), ...given }).map(([name, value]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ]);
  const child = spawn(process.execPath, [program], {
    cwd,
    env: {
      ...{ PATH: process.env.PATH, HOME: repository, DNS_SERVERS: `127.0.0.1:${server.port}` },
      ...files,
      ...Object.fromEntries(inputs),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  const [outputs, summary] = Object.values(files).map((file) => readFileSync(file, 'utf8'));
  return { code, lines: output.trimEnd().split('\n'), outputs: outputs ?? '', summary: summary ?? '' };
}

const sarif = () => JSON.parse(readFileSync(join(repository, 'email-domain-security.sarif'), 'utf8')).runs[0];

test('checks domains, and fails by their score', async () => {
  const { code, lines, outputs, summary } = await run({ domains: 'example.com', 'fail-under': '90' });
  expect(code).toBe(1);
  expect(lines).toContainEqual(
    expect.stringMatching(/^::error title=[^:]*::The score of example\.com is \d+, below 90\.$/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^::warning title=example\.com%3A dmarc-missing-rua::/));
  expect(outputs).toMatch(
    /^score=\d+\nnew-errors=0\nlost-messages=0\nsarif-file=email-domain-security\.sarif\n$/,
  );
  expect(summary).toContain('## example.com');
  // What is in DNS is no Markdown, HTML or table.
  expect(summary).toContain('&#60;b&#62;&#96;injected');
  expect(summary).not.toContain('<b>');
  expect(sarif().results).toContainEqual(
    expect.objectContaining({ ruleId: 'dmarc-missing-rua', level: 'warning' }),
  );
  expect((await run({ domains: 'example.com', 'fail-under': '10' })).code).toBe(0);
});

test('compares a zone file with that of the default branch, and fails by a new error', async () => {
  writeFileSync(join(repository, 'zone'), '@ IN TXT "v=spf1 ipx:1 -all"\n_dmarc IN TXT "v=DMARC1; p=none"\n');
  const { code, lines, outputs } = await run({ domains: 'example.com', with: 'zone' });
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(/^::error file=zone,line=1,title=example\.com%3A spf-syntax::/),
    '::error title=Email domain security::This change adds an error to example.com.',
  ]);
  expect(outputs).toContain('new-errors=1\n');
  const states = sarif().results.map((one: { ruleId: string; baselineState: string }) => [
    one.ruleId,
    one.baselineState,
  ]);
  expect(states).toContainEqual(['spf-syntax', 'new']);
  expect(states).toContainEqual(['dmarc-missing-rua', 'unchanged']);
  expect((await run({ domains: 'example.com', with: 'zone', 'fail-on-new-errors': 'false' })).code).toBe(0);
});

test('gets the base that a checkout of one commit lacks', async () => {
  git('checkout', '--quiet', '-b', 'change');
  writeFileSync(join(repository, 'zone'), '@ IN TXT "v=spf1 ipx:1 -all"\n_dmarc IN TXT "v=DMARC1; p=none"\n');
  git('commit', '--quiet', '--all', '--message=change');
  const cwd = join(repository, 'checkout');
  git('clone', '--quiet', '--depth=1', '--branch=change', `file://${repository}`, cwd);
  git('checkout', '--quiet', 'main');
  const { code, lines } = await run({ domains: 'example.com', with: 'zone' }, { cwd });
  expect([code, lines.at(-1)]).toEqual([1, expect.stringContaining('This change adds an error')]);
  const unknown = await run({ domains: 'example.com', with: 'zone', base: 'gone' }, { cwd });
  expect([unknown.code, unknown.lines]).toEqual([1, [expect.stringContaining('base: ')]]);
});

test.each([
  [{ domains: '' }, 'domains must name at least one domain'],
  [{ domains: 'example.com', with: 'missing' }, 'with: ENOENT'],
  [{ domains: 'example.com', 'service-url': 'https://monitor.example' }, 'belong together'],
  [{ domains: 'example.com', with: 'zone', base: '--output=x' }, 'base must be a commit'],
])('fails with an annotation for the inputs %j', async (given, reason) => {
  const { code, lines } = await run(given);
  expect([code, lines]).toEqual([1, [expect.stringContaining(reason)]]);
});

test('fails by messages that the service says are lost, as the one file that a runner loads', async () => {
  const built = join(repository, 'index.mjs');
  await buildAction(built);
  const service: BootedService = await useService();
  const api: ApiClient = await apiClient(service);
  const { body } = await api.call('POST', '/api/v1/domains', {
    json: { domain: 'example.com', usageType: 'sends-only' },
  });
  const { id, reporting } = body.data;
  await sendMail(service.smtpPort, {
    to: [reporting.ruaAddress.replace('mailto:', '')],
    message: dmarcMail({ domain: 'example.com', rows: [{ count: 312, result: 'fail' }] }),
  });
  const senders = async () => (await api.call('GET', `/api/v1/domains/${id}/senders`)).body.data;
  await until(async () => (await senders()).length > 0);
  const [{ id: sender }] = await senders();
  await api.call('PATCH', `/api/v1/domains/${id}/senders/${sender}`, { json: { status: 'approved' } });
  writeFileSync(join(repository, 'zone'), '@ IN TXT "v=spf1 -all"\n_dmarc IN TXT "v=DMARC1; p=reject"\n');
  const asked = { 'service-url': service.url, token: service.token, domains: 'example.com', with: 'zone' };
  const { code, lines, outputs, summary } = await run(asked, { program: built });
  expect(code).toBe(1);
  expect(lines.at(-1)).toContain('This change loses 312 approved messages of example.com.');
  expect(outputs).toContain('lost-messages=312\n');
  expect(summary).toContain('the change loses 312 messages of approved senders');
  expect((await run({ ...asked, 'max-lost-messages': '312' }, { program: built })).code).toBe(0);
  const [refused] = (await run({ ...asked, token: 'wrong' }, { program: built })).lines;
  expect(refused).toContain('::error title=Email domain security::service-url: ');
});

test('the metadata names the built file, and the inputs that the program reads', () => {
  expect(metadata.runs).toEqual({ using: 'node24', main: ACTION_FILE });
  const source = readDocument('lib/action/inputs.ts');
  const read = [...source.matchAll(/(?:text|words|number)\('([\w-]+)'/g)].map(([, name]) => name);
  expect([...new Set(read)].toSorted()).toEqual(Object.keys(metadata.inputs).toSorted());
});
