/** A data folder that is incomplete, mixed up or damaged is refused, and a running service notices when it is taken away. */
import { copyFileSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { adminInProcess } from '../kit/admin.ts';
import { itemsWith } from '../kit/rows.ts';
import { type BootedService, runToEnd } from '../kit/service.ts';
import { useFolder } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const register = ({ url, token }: BootedService, domain: string) =>
  fetch(`${url}/api/v1/domains`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domain, usageType: 'parked' }),
  });

const [service, second] = await Promise.all([useService(), useService()]);
expect((await register(service, 'example.org')).status).toBe(201);
/** A folder of a service with a domain, and one of another service. Both are stopped. */
const { dataDir: folder, token } = service;
const other = second.dataDir;
await Promise.all([service, second].map((one) => one.end('SIGTERM')));

const health = async ({ url }: BootedService) => {
  const response = await fetch(`${url}/healthz`);
  return { status: response.status, body: await response.json() };
};

function copyOfFolder(): string {
  const copy = useFolder('service');
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** Changes a database, and puts the change into its main file. */
function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

const remove = (name: string) => (path: string) => {
  for (const part of ['', '-wal', '-shm']) rmSync(join(path, `${name}${part}`), { force: true });
};

const replace = (name: string, content: string | Uint8Array) => (path: string) => {
  remove(name)(path);
  writeFileSync(join(path, name), content);
};

const files = ['table.sqlite', 'objects.sqlite', 'queues.sqlite', 'example-internet.sqlite'];

const start = (DATA_DIR: string) =>
  runToEnd('start.ts', [], { DATA_DIR, PORT: '0', SMTP_PORT: '0', LOG_LEVEL: 'error' });

describe('a folder is refused by name, and nothing in it changes,', () => {
  test.each<[string, (path: string) => void, string]>([
    ['without its table', remove('table.sqlite'), 'table.sqlite is missing'],
    ['with an empty table', replace('table.sqlite', ''), 'table.sqlite is empty'],
    ['without its mail', remove('objects.sqlite'), 'objects.sqlite is missing'],
    [
      'with a text in the place of the table',
      replace('table.sqlite', 'text '.repeat(2000)),
      'table.sqlite is damaged: file is not a database',
    ],
    [
      'with the mail of another folder',
      (path) => copyFileSync(join(other, 'objects.sqlite'), join(path, 'objects.sqlite')),
      'objects.sqlite belongs to another data folder than table.sqlite',
    ],
    [
      'with files in the place of others',
      (path) => copyFileSync(join(path, 'table.sqlite'), join(path, 'queues.sqlite')),
      'queues.sqlite is a copy of table.sqlite',
    ],
    [
      'with a database of another program',
      (path) => {
        remove('queues.sqlite')(path);
        change(join(path, 'queues.sqlite'), 'CREATE TABLE moz_places (id INTEGER)');
      },
      'queues.sqlite is a database of another program',
    ],
    [
      'of another layout',
      (path) => change(join(path, 'table.sqlite'), 'UPDATE folder SET layout = layout + 1'),
      'table.sqlite has layout 2, and this version needs layout 1: start the version that wrote it',
    ],
    [
      'with flipped bytes in the structure of a file',
      (path) => {
        const content = readFileSync(join(folder, 'table.sqlite'));
        // The header of each page but the first, where SQLite keeps the kind of the page.
        for (let at = 4096; at < content.length; at += 4096) content.fill(0xff, at, at + 8);
        replace('table.sqlite', content)(path);
      },
      'table.sqlite is damaged',
    ],
    [
      'without marks, and without its table',
      (path) => {
        for (const name of files) change(join(path, name), 'DROP TABLE folder');
        remove('table.sqlite')(path);
        remove('service.lock')(path);
      },
      'table.sqlite is missing',
    ],
  ])('%s', async (_name, damage, problem) => {
    const path = copyOfFolder();
    damage(path);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { code, output } = await start(path);
      expect(output).toContain(`Cannot start: DATA_DIR ${path} cannot be used: ${problem}`);
      expect(output.trim()).not.toContain('\n');
      expect(code).toBe(1);
    }
    expect(readFileSync(join(path, 'api-token'), 'utf8').trim()).toBe(token);
    const verified = await adminInProcess(['verify-data'], { DATA_DIR: path });
    expect(verified.output).toContain(problem.replace(' ', '  '));
    expect(verified.output).toContain('restore it from a backup');
    expect(verified.code).toBe(1);
  });
});

test('a sound folder is verified while its service runs', async () => {
  const service = await useService({ DATA_DIR: copyOfFolder() });
  const { code, output } = await adminInProcess(['verify-data'], { DATA_DIR: service.dataDir });
  expect(output).toMatch(/^table\.sqlite {2}ok, \d+ items$/m);
  expect(code).toBe(0);
});

test('a folder without a service has nothing to verify', async () => {
  const path = useFolder('service');
  const { code, output } = await adminInProcess(['verify-data'], { DATA_DIR: path });
  expect([code, output]).toEqual([1, expect.stringContaining(`${path} contains no service`)]);
});

test('content that changed without a fault in the structure is found by verify-data', async () => {
  const path = copyOfFolder();
  change(join(path, 'table.sqlite'), "UPDATE items SET body = 'x' || body WHERE id = 1");
  const { code, output } = await adminInProcess(['verify-data'], { DATA_DIR: path });
  expect([code, output]).toEqual([
    1,
    expect.stringContaining('table.sqlite  has 1 item that cannot be read'),
  ]);
});

test('a folder whose files have no mark is refused', async () => {
  const path = copyOfFolder();
  for (const name of files) change(join(path, name), 'DROP TABLE folder');
  remove('service.lock')(path);
  const { code, output } = await start(path);
  expect([code, output]).toEqual([
    1,
    expect.stringContaining('table.sqlite is a database of another program, or'),
  ]);
});

test('a table of another layout is refused by the service and by commands, unchanged', async () => {
  const path = copyOfFolder();
  const from = `'"version":{"N":"1"}', '"version":{"N":"2"}'`;
  change(
    join(path, 'table.sqlite'),
    `UPDATE items SET body = replace(body, ${from}) WHERE instr(body, '"LAYOUT"') > 0`,
  );
  const [layout] = itemsWith(path, '"LAYOUT"');
  expect(layout).toMatchObject({ version: { N: '2' } });
  const problem = 'the table has layout 2, and this version needs layout 1: run the version that wrote it';
  const { code, output } = await start(path);
  expect([code, output]).toEqual([1, expect.stringContaining(problem)]);
  const command = await adminInProcess(['org', 'list'], { DATA_DIR: path });
  expect([command.code, command.output]).toEqual([1, expect.stringContaining(problem)]);
  expect(itemsWith(path, '"LAYOUT"')).toEqual([layout]);
});

test('a second service is refused although the lock was deleted', async () => {
  const service = await useService({ DATA_DIR: copyOfFolder() });
  rmSync(join(service.dataDir, 'service.lock'));
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const { code, output } = await start(service.dataDir);
    expect([code, output]).toEqual([1, expect.stringContaining('is in use by another service')]);
  }
  expect((await register(service, 'example.net')).status).toBe(201);
  await service.end('SIGTERM');
  const again = await useService({ DATA_DIR: service.dataDir });
  expect((await register(again, 'example.net')).status).toBe(409);
});

test('a service whose folder is taken away refuses writes, and its health says so', async () => {
  const service = await useService({ DATA_DIR: copyOfFolder() });
  const sound = { status: 'ok' };
  expect(await health(service)).toEqual({
    status: 200,
    body: {
      status: 'ok',
      checks: [
        { name: 'process', ...sound },
        { name: 'stores', ...sound },
        { name: 'queues', ...sound },
        { name: 'schedule', ...sound },
        { name: 'data', ...sound },
      ],
    },
  });
  renameSync(service.dataDir, `${service.dataDir}-moved`);
  expect((await register(service, 'lost.example')).status).toBe(503);
  expect(await health(service)).toMatchObject({
    status: 503,
    body: {
      status: 'failing',
      checks: expect.arrayContaining([
        { name: 'stores', status: 'failing', detail: expect.stringContaining('was deleted or replaced') },
      ]),
    },
  });
  expect((await fetch(`${service.url}/healthz`, { method: 'POST' })).status).toBe(405);
  renameSync(`${service.dataDir}-moved`, service.dataDir);
  expect((await register(service, 'kept.example')).status).toBe(201);
});
