import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { fallbackHandler, routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { bundle, bundleAll } from '../../../lib/cloud/bundle.ts';
import {
  activationHandler,
  canaryHandler,
  handlers,
  sourceOf,
  watchDomainsHandler,
  watchHandler,
} from '../../../lib/cloud/handlers.ts';
import type { Capability } from '../../../shared/operations/capability.ts';
import type { Config } from '../../../shared/runtime/config/config.ts';
import { useFolder } from '../../kit/use.ts';
import { runAsLambda } from './activation/fake-aws.ts';
import { budgets } from './budgets.ts';
import { tableCapability } from './deployed.ts';

const sizes = budgets();

const folder = useFolder('bundles');
const bundles = await bundleAll();

describe('the bundles', () => {
  test.each(handlers)('%s has a source file', (handler) => {
    expect(existsSync(new URL(`../../../${sourceOf(handler)}`, import.meta.url))).toBe(true);
  });

  test('exist for each row of both tables, and for the other functions', () => {
    const rows = [...Object.values(routes), ...Object.values(triggers)];
    expect([...bundles.keys()].toSorted()).toEqual(
      [
        ...rows.map((row) => row.handler),
        fallbackHandler,
        activationHandler,
        watchHandler,
        watchDomainsHandler,
        canaryHandler,
      ].toSorted(),
    );
  });

  test('fail with the name of a handler that has no file', async () => {
    await expect(bundle(['domains/list', 'domains/lost'], folder)).rejects.toThrow(
      /have no source file: domains\/lost$/,
    );
  });

  test.each(handlers)('%s is within its size budget', (handler) => {
    const bytes = bundles.get(handler)?.bytes;
    expect(bytes).toBeGreaterThan(0);
    // If it has a reason to be larger: npm run budgets
    expect(bytes).toBeLessThan(sizes.get(handler) ?? 0);
  });

  test('are all in the file of budgets, which names no other', () => {
    expect([...sizes.keys()].toSorted()).toEqual(handlers.toSorted());
  });

  test('are the same in another folder, byte for byte', async () => {
    // Enough of them to have every kind of file: all take as long as the rest of this file.
    const some = handlers.filter((name, n) => n % 12 === 0 || name === 'reports/receive');
    const again = await bundle(some, folder);
    for (const name of some) {
      const [one, other] = [bundles, again].map((made) => contentsOf(made.get(name)?.folder ?? ''));
      expect(other?.has('index.mjs')).toBe(true);
      expect(other).toEqual(one);
    }
  });

  test('are not built again from the same sources', async () => {
    const file = join(bundles.get('domains/list')?.folder ?? '', 'index.mjs');
    const { mtimeMs } = statSync(file);
    expect(await bundleAll()).toEqual(bundles);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
  });

  test('load in Node and each export a handler', async () => {
    const files = [...bundles.values()].map((made) => join(made.folder, 'index.mjs'));
    const loaded = await runAsLambda(`
      const files = ${JSON.stringify(files)};
      const modules = await Promise.all(files.map((file) => import(file)));
      console.log(JSON.stringify(modules.map((module) => typeof module.handler)));`);
    expect(loaded).toEqual(files.map(() => 'function'));
  });

  test.each(['reports/receive', 'mail-test/receive'])(
    '%s loads no other file at its start',
    async (handler) => {
      const made = bundles.get(handler)?.folder ?? '';
      expect(existsSync(join(made, 'tables/cp936.json'))).toBe(true);
      const loaded = await runAsLambda(`
      import { createRequire } from 'node:module';
      await import(${JSON.stringify(join(made, 'index.mjs'))});
      console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`);
      expect(loaded).toEqual([]);
    },
  );

  test.each(['checks/run', 'monitoring/check-domain'])('%s loads the XML parser on demand', (handler) => {
    const parses = (file: string) =>
      readFileSync(join(bundles.get(handler)?.folder ?? '', file), 'utf8').includes(
        'document must contain a root element',
      );
    expect(['index.mjs', 'svg.mjs'].map(parses)).toEqual([false, true]);
  });

  test.each(['checks/run', 'notifications/deliver'])(
    '%s does not load the fetch of Node',
    async (handler) => {
      const loaded = await runAsLambda(`
      await import(${JSON.stringify(join(bundles.get(handler)?.folder ?? '', 'index.mjs'))});
      console.log(JSON.stringify(process.moduleLoadList.filter((name) => name.includes('undici'))));`);
      expect(loaded).toEqual([]);
    },
  );

  test("call DynamoDB with the credentials in Lambda's environment", async () => {
    const answered = await runAsLambda(`
      import { createServer } from 'node:http';
      const received = [];
      const table = createServer((request, response) => {
        received.push(request.headers['x-amz-target'], /Credential=([^/]+)/.exec(request.headers.authorization)[1]);
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
      const { statusCode } = await handler(event, { getRemainingTimeInMillis: () => 60_000 });
      console.log(JSON.stringify([statusCode, ...received]));
      process.exit();`);
    expect(answered).toEqual([401, 'DynamoDB_20120810.GetItem', 'AKIDEXAMPLE']);
  });

  const rows = [...Object.values(routes), ...Object.values(triggers)];
  test.each(rows.flatMap((row) => row.uses.map((use: Capability) => [row.name, use, row.handler] as const)))(
    '%s uses each declared capability: %s',
    (_name, use: Capability, handler) => {
      const key = tableCapability.test(use) ? 'TABLE_NAME' : keyOf[use];
      if (key === undefined) return;
      const code = readFileSync(join(bundles.get(handler)?.folder ?? '', 'index.mjs'), 'utf8');
      // The schema contains each key once, and code that reads the key contains it again.
      expect(code.split(key).length).toBeGreaterThan(2);
    },
  );
});

/** Every file in a folder that is uploaded, by its path in it. */
function contentsOf(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith('.map'),
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(folder, path), readFileSync(path, 'latin1')];
    }),
  );
}

/** The environment key that code with another capability reads. */
const keyOf: Readonly<Partial<Record<Capability, keyof Config>>> = {
  'queue:deletions': 'DELETIONS_QUEUE_URL',
  'report-mail:read': 'MAIL_BUCKET',
  'report-mail:delete': 'MAIL_BUCKET',
  'test-mail:read': 'MAIL_BUCKET',
  'test-mail:delete': 'MAIL_BUCKET',
  dns: 'DNS_SERVERS',
};
