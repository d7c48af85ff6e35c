/** The service as a new user starts it; what takes several starts is in `start.long.test.ts`. */
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runToEnd } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { atEnd, useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const parked = (domain: string) => ({ json: { domain, usageType: 'parked' } });

test('a start says where the token is, and a restart keeps it and all data', async () => {
  const { service, api } = await useApi();
  const { dataDir, token, output, url } = service;
  const file = join(dataDir, 'api-token');
  expect(readFileSync(file, 'utf8').trim()).toBe(token);
  expect(output()).toContain(`API token      in ${file}\n`);
  expect(output()).toContain(`-H "Authorization: Bearer $(cat '${file}')"`);
  expect(output()).toContain(`Console        ${url}/console\n`);
  expect(output()).toContain('npm run admin -- console default');
  expect(output()).not.toContain(token);
  // A link signs in, too.
  expect(output()).not.toContain('/console/sign-in?link=');
  const names = ['good', 'weak', 'parked', 'broken-spf', 'send-only', 'receive-only', 'local', 'servfail'];
  expect(output()).toContain(`${names.join('.test, ')}.test`);

  const { body } = await api.call('POST', '/api/v1/domains', parked('kept.example'));
  expect(await service.end('SIGTERM')).toBe(0);
  const again = await useApi({ DATA_DIR: dataDir });
  expect(again.service.token).toBe(token);
  expect((await again.api.call('GET', `/api/v1/domains/${body.data.id}`)).body.data.domain).toBe(
    'kept.example',
  );
});

test('a given API_TOKEN is that of the default organization, and is neither printed nor stored in a file', async () => {
  const API_TOKEN = 'a-token-of-our-own-choice';
  const { service, api } = await useApi({ API_TOKEN, LOG_LEVEL: 'debug' });
  expect(service.token).toBe(API_TOKEN);
  expect((await api.call('POST', '/api/v1/domains', parked('token.example'))).status).toBe(201);
  await until(() => service.output().includes('"createDomain"'));
  expect(service.output()).toContain('"Authorization: Bearer $API_TOKEN"');
  await service.end('SIGTERM');
  expect(service.output()).not.toContain(API_TOKEN);
  for (const name of readdirSync(service.dataDir)) {
    const file = join(service.dataDir, name);
    if (statSync(file).isFile())
      expect([name, readFileSync(file).includes(API_TOKEN)]).toEqual([name, false]);
  }
});

test('a start that cannot succeed prints the reason in one line and exits with 1', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  atEnd(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const { code, output } = await runToEnd('start.ts', [], {
    ...{ PORT: String(port), SMTP_PORT: '0', DATA_DIR: useFolder('service') },
  });
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^.*PORT ${port} is in use by another process.*\\n$`)),
  ]);
});
