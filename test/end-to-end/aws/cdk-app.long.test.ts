/**
 * The documented CDK app with the package, deployed to an emulated AWS account: two stages, one of them over a deployment of this
 * repository, whose data and names it keeps.
 */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { buildPackage } from '../../../lib/package/build.ts';
import { type ApiClient, apiClient } from '../../kit/api-client.ts';
import { compileCache } from '../../kit/compile-cache.ts';
import { describeWith } from '../../kit/describe-with.ts';
import { use, useFolder } from '../../kit/use.ts';
import { serveApi } from './aws.ts';
import { ACCOUNT, type Emulator, missingForEmulator, REGION, startEmulator } from './emulator.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAME = 'email-domain-security-monitor';
const DEPLOY_MILLISECONDS = 600_000;

describeWith(await missingForEmulator(), 'the documented CDK app', () => {
  const folder = useFolder('cdk-app');
  const modules = join(folder, 'node_modules');
  const code = readFileSync(join(ROOT, 'docs/cdk-app/app.mjs'), 'utf8').replace(/\d{12}/, ACCOUNT);
  let emulator: Emulator;

  async function runIn(cwd: string, program: string, ...args: string[]): Promise<string> {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args], {
      cwd,
      env: { ...emulator.environment, ...compileCache, TMPDIR: folder, CDK_VALIDATION: 'false' },
      timeout: DEPLOY_MILLISECONDS,
      maxBuffer: 2 ** 26,
    });
    return stdout + stderr;
  }
  const run = (program: string, ...args: string[]) => runIn(folder, program, ...args);
  const cdk = (...args: string[]) => run(join(ROOT, 'node_modules/aws-cdk/bin/cdk'), ...args, '--ci');

  /** What the outputs of a deployment say about a stage. */
  function stageIn(outputs: string, stage: string) {
    const all: Record<string, Record<string, string>> = JSON.parse(
      readFileSync(join(folder, outputs), 'utf8'),
    );
    const own = Object.entries(all).filter(([name]) => name.startsWith(`domain-monitor-${stage}-`));
    const file = join(folder, `outputs-${stage}.json`);
    writeFileSync(file, JSON.stringify(Object.fromEntries(own)));
    const { ApiUrl = '' } = own.map(([, values]) => values).find((values) => 'ApiUrl' in values) ?? {};
    return { file, url: ApiUrl, stacks: own.map(([name]) => name).toSorted() };
  }

  async function withApi<Result>(url: string, token: string, call: (api: ApiClient) => Promise<Result>) {
    const served = await serveApi(emulator, url);
    try {
      return await call(await apiClient({ url: served.url, token }));
    } finally {
      served.stop();
    }
  }

  /** A token of a new organization. */
  async function tokenBy(...admin: [string, ...string[]]): Promise<string> {
    const [organization = ''] = (await run(...admin, 'org', 'create', 'Acme')).split(' ');
    return (await run(...admin, 'token', 'create', organization)).trim();
  }

  beforeAll(async () => {
    await buildPackage(join(modules, NAME));
    for (const name of ['zod', 'aws-cdk-lib', 'constructs'])
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    writeFileSync(join(folder, 'app.mjs'), code);
    emulator = await use(startEmulator('alerts@alerts.example.org'));
    const regions = [...code.matchAll(/region: '([\w-]+)'/g)].map(([, region]) => region);
    await cdk('bootstrap', ...regions.map((region) => `aws://${ACCOUNT}/${region}`));
  }, DEPLOY_MILLISECONDS);

  test(
    'has two stages that share nothing, and keeps data and names of a deployment of this repository',
    async () => {
      const settings = {
        ...{ stage: 'prod', account: ACCOUNT, region: REGION, alarmEmail: 'operators@acme.org' },
        ...{ reportsDomain: 'reports.acme.org', testerDomain: 'tester.acme.org' },
      };
      writeFileSync(join(folder, 'prod.json'), JSON.stringify(settings));
      const approved = ['--require-approval', 'never', '--outputs-file'];
      const [file = '', output = '', outputs = ''] = ['prod.json', 'before.out', 'before.json'].map((name) =>
        join(folder, name),
      );
      await runIn(ROOT, 'bin/deploy.ts', file, '--output', output, ...approved, outputs);
      const before = stageIn('before.json', 'prod');
      const token = await tokenBy(join(ROOT, 'bin/admin.ts'), '--outputs', before.file);
      const json = { domain: 'kept.test', usageType: 'parked' };
      const register = (api: ApiClient) => api.call('POST', '/api/v1/domains', { json });
      const { id } = (await withApi(before.url, token, register)).body.data;

      const deploy = (stage: string) =>
        cdk('deploy', '--app', `"${process.execPath}" app.mjs`, `${stage}/*`, ...approved, `${stage}.json`);
      await deploy('Production');
      const { url: kept, stacks } = stageIn('Production.json', 'prod');
      expect([kept, stacks]).toEqual([before.url, before.stacks]);
      const read = (api: ApiClient) => api.call('GET', `/api/v1/domains/${id}`);
      const isKept = { status: 200, body: { data: { domain: 'kept.test' } } };
      expect(await withApi(kept, token, read)).toMatchObject(isKept);

      await deploy('Staging');
      const { url, file: outputsOfStaging } = stageIn('Staging.json', 'staging');
      expect(await withApi(kept, token, read)).toMatchObject(isKept);
      expect((await withApi(url, token, read)).status).toBe(401);
      const packaged = join(modules, NAME, 'bin/main.js');
      const other = await tokenBy(packaged, 'admin', '--outputs', outputsOfStaging);
      expect([
        (await withApi(url, other, read)).status,
        (await withApi(url, other, register)).status,
      ]).toEqual([404, 201]);
    },
    3 * DEPLOY_MILLISECONDS,
  );
});
