import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fallbackHandler, routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { activationHandler, type Bundles, bundle, handlers, sourceOf } from '../../../lib/cloud/bundle.ts';
import type { Config } from '../../../shared/runtime/config.ts';
import type { Capability } from '../../../shared/runtime/route.ts';

/** Most that a handler without mail parsing weighs: it is parsed at every cold start. */
const BUDGET = 400_000;

/** Handlers that hold more, and what it is. */
const allowance: Readonly<Record<string, number>> = {
  /** Every evaluator, certificates and the roots of mark certificates. */
  'checks/run': 220_000,
  'monitoring/check-domain': 190_000,
  /** What to do about every finding. */
  'notifications/deliver': 60_000,
  /** The client of S3. */
  'maintenance/drain-deleted-domain': 60_000,
  /** The clients of S3 and DynamoDB, and verifying mail: character sets, DKIM. */
  'inbound-tester/receive': 1_100_000,
  /** Those, and reading mail: MIME, HTML. */
  'reports/receive': 1_750_000,
};

let folder: string;
let bundles: Bundles;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  bundles = await bundle(handlers, folder);
});

afterAll(() => rm(folder, { recursive: true }));

describe('the bundles', () => {
  test.each(handlers)('%s is on disk, as the tables say', (handler) => {
    expect(existsSync(new URL(`../../../${sourceOf(handler)}`, import.meta.url))).toBe(true);
  });

  test('are one for each row of both tables, and one for everything else', () => {
    const rows = [...Object.values(routes), ...Object.values(triggers)];
    expect([...bundles.keys()].toSorted()).toEqual(
      [...rows.map((row) => row.handler), fallbackHandler, activationHandler].toSorted(),
    );
  });

  test('are refused with the name of a handler that has no file', async () => {
    await expect(bundle(['domains/list', 'domains/lost'], folder)).rejects.toThrow(
      /without a file: domains\/lost$/,
    );
  });

  test.each(handlers)('%s stays within its budget', (handler) => {
    const bytes = bundles.get(handler)?.bytes;
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(BUDGET + (allowance[handler] ?? 0));
  });

  test('load in Node and export a handler, each', async () => {
    const files = [...bundles.values()].map((made) => join(made.folder, 'index.mjs'));
    const loaded = await run(`
      const files = ${JSON.stringify(files)};
      const modules = await Promise.all(files.map((file) => import(file)));
      console.log(JSON.stringify(modules.map((module) => typeof module.handler)));`);
    expect(loaded).toEqual(files.map(() => 'function'));
  });

  test('reach DynamoDB with the credentials that Lambda puts into the environment', async () => {
    const answered = await run(`
      import { createServer } from 'node:http';
      const asked = [];
      const table = createServer((request, response) => {
        asked.push(request.headers['x-amz-target'], /Credential=([^/]+)/.exec(request.headers.authorization)[1]);
        response.end('{}');
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => table.once('listening', resolve));
      process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:' + table.address().port;
      const { handler } = await import(${JSON.stringify(join(bundles.get('domains/list')?.folder ?? '', 'index.mjs'))});
      const event = {
        headers: { authorization: 'Bearer svc_unknown' },
        rawQueryString: '',
        requestContext: { requestId: 'r', http: { sourceIp: '192.0.2.1' } },
      };
      const { statusCode } = await handler(event, { getRemainingTimeInMillis: () => 1000 });
      console.log(JSON.stringify([statusCode, ...asked]));
      process.exit();`);
    expect(answered).toEqual([401, 'DynamoDB_20120810.GetItem', 'AKIDEXAMPLE']);
  });

  const rows = [...Object.values(routes), ...Object.values(triggers)];
  test.each(rows.flatMap((row) => row.uses.map((use) => [row.name, use, row.handler] as const)))(
    '%s asks for nothing it does not use: %s',
    (_name, use: Capability, handler) => {
      const key = tellsOf[use];
      if (key !== undefined) expect(bundles.get(handler)?.reads).toContain(key);
    },
  );

  test('know which keys of the environment their code reads', () => {
    expect(bundles.get('domains/create')?.reads).toContain('DOMAIN_LIMIT');
    expect(bundles.get('domains/list')?.reads).not.toContain('DOMAIN_LIMIT');
    expect([...(bundles.get('meta/fallback')?.reads ?? [])]).toEqual([]);
  });
});

/** The key that code reads when it makes use of a capability. */
const tellsOf: Readonly<Partial<Record<Capability, keyof Config>>> = {
  'table:read': 'TABLE_NAME',
  'table:write': 'TABLE_NAME',
  'calls:count': 'TABLE_NAME',
  'queue:deletions': 'DELETIONS_QUEUE_URL',
  'report-mail:read': 'MAIL_BUCKET',
  'report-mail:delete': 'MAIL_BUCKET',
  'test-mail:read': 'MAIL_BUCKET',
  'test-mail:delete': 'MAIL_BUCKET',
  dns: 'DNS_SERVERS',
};

/** Runs a script in a Node of its own, with the environment of a Lambda, and reads the JSON of its last line. */
async function run(script: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 20_000,
    env: {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      LOG_LEVEL: 'silent',
    },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
