import { request } from 'node:https';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readAddresses } from '../../../lib/local/host/addresses.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { freePort } from '../../kit/free-port.ts';
import { isInstalled, PROXIES, type ProxyName, startProxy } from '../../kit/reverse-proxy.ts';
import type { BootedService } from '../../kit/service.ts';
import { use } from '../../kit/use.ts';
import { useService } from '../../kit/use-service.ts';

const HOST = 'monitor.acme.org';
const authority = createAuthority();
const certificate = authority.issue([HOST]);

/** Two clients of the proxy; on Linux, programs can connect from every address in 127.0.0.0/8. */
const [ONE, OTHER] = ['127.0.0.2', '127.0.0.3'];

for (const name of Object.keys(PROXIES) as ProxyName[])
  (isInstalled(name) ? describe : describe.skip)(
    `behind ${name}${isInstalled(name) ? '' : ' (skipped: not installed)'}`,
    () => {
      let port: number;
      let service: BootedService;
      beforeAll(async () => {
        port = await freePort();
        service = await useService({
          HOST_URL: `https://${HOST}:${port}`,
          TRUSTED_PROXIES: '127.0.0.1',
          TOOL_RATE_PER_MINUTE: '2',
          LOG_LEVEL: 'info',
        });
        // Its URL is that of the proxy.
        const servicePort = readAddresses(service.dataDir)?.http.port ?? 0;
        await use(startProxy(name, { port, servicePort, certificate }));
      });

      interface Sent {
        readonly json?: object;
        readonly headers?: Readonly<Record<string, string>>;
        readonly token?: string;
      }
      const send = (from: string, path: string, { json, headers, token }: Sent = {}) =>
        new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
          const sent = request(
            {
              ...{ host: '127.0.0.1', port, path, localAddress: from, agent: false },
              ...{ servername: HOST, ca: authority.cert },
              method: json === undefined ? 'GET' : 'POST',
              headers: {
                ...{ host: `${HOST}:${port}`, 'content-type': 'application/json' },
                ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
                ...headers,
              },
            },
            async (response) => {
              const body = Buffer.concat(await response.toArray()).toString();
              resolve({ status: response.statusCode, body });
            },
          );
          sent.on('error', reject);
          sent.end(json === undefined ? undefined : JSON.stringify(json));
        });

      test('each client has its own limit, whatever it writes into X-Forwarded-For', async () => {
        const check = async (from: string, claimed: string) =>
          (
            await send(from, '/api/spf-checker', {
              json: { domain: 'good.test' },
              headers: { 'x-forwarded-for': claimed },
            })
          ).status;
        const statuses: unknown[] = [];
        for (let n = 0; n < 4; n += 1) statuses.push(await check(ONE, `192.0.2.${n}`));
        expect(statuses).toEqual([200, 200, 429, 429]);
        expect(await check(OTHER, ONE)).toBe(200);
      });

      test('tokens of a network, the audit log and the log see the client', async () => {
        const created = await send(ONE, '/api/v1/tokens', {
          json: { name: 'limited', scope: 'read', networks: [ONE] },
          token: service.token,
        });
        expect(created.status).toBe(201);
        const { token } = JSON.parse(created.body).data;
        const statusFrom = async (from: string) => (await send(from, '/api/v1/domains', { token })).status;
        expect([await statusFrom(ONE), await statusFrom(OTHER)]).toEqual([200, 403]);
        const audit = JSON.parse((await send(OTHER, '/api/v1/audit', { token: service.token })).body);
        expect(audit.data[0]).toMatchObject({ action: 'createToken', name: 'limited', clientAddress: ONE });
        const lines = service
          .output()
          .split('\n')
          .filter((line) => line.includes('"route":"createToken"'));
        expect(lines.map((line) => JSON.parse(line).clientAddress)).toEqual([ONE]);
      });
    },
  );
