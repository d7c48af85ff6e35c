import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../../kit/api-client.ts';
import { describeWith } from '../../kit/describe-with.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import { type BootedService, bootService } from '../../kit/service.ts';
import { sendMail } from '../../kit/smtp-client.ts';
import { until } from '../../kit/until.ts';
import { useFolder } from '../../kit/use.ts';

const MEGABYTES = 48;

/** Mounts a file system of this size; returns why that is not possible here. */
function mount(folder: string): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'tmpfs', folder], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `no mount: ${(error as Error).message.split('\n').at(-2)}`;
  }
}

const folder = useFolder('full-disk');
const lacking = mount(folder);

describeWith(lacking, 'a full disk', () => {
  let service: BootedService;
  let api: ApiClient;
  let id: string;
  let to: string[];
  beforeAll(async () => {
    service = await bootService({ DATA_DIR: join(folder, 'data') });
    api = await apiClient(service);
    const { body } = await api.call('POST', '/api/v1/domains', {
      json: { domain: 'weak.test', usageType: 'parked' },
    });
    id = body.data.id;
    to = [body.data.reporting.ruaAddress.replace('mailto:', '')];
  });
  afterAll(async () => {
    await service?.remove();
    execFileSync('umount', ['-l', folder]);
  });

  const filler = join(folder, 'filler');
  function fill(): void {
    const file = openSync(filler, 'w');
    try {
      for (const size of [1 << 20, 1 << 12]) {
        try {
          for (;;) writeSync(file, Buffer.alloc(size, 'x'));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    } finally {
      closeSync(file);
    }
  }
  const accepted = new Set<string>();
  let sent = 0;
  async function send(): Promise<string> {
    sent += 1;
    const message = dmarcMail({ domain: 'weak.test', id: `r${sent}` });
    const reply = await sendMail(service.smtpPort, { to, message });
    if (reply.startsWith('250')) accepted.add(`r${sent}`);
    return reply;
  }
  // The client of the kit retries nothing and checks responses against the API's description, which lacks this one.
  const register = (domain: string) =>
    fetch(`${service.url}/api/v1/domains`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ domain, usageType: 'parked' }),
    });
  const health = async (): Promise<{ readonly status: string }> =>
    JSON.parse(await (await fetch(`${service.url}/healthz`)).text());

  test('takes mail until it is full, then replies 452, and the API 503', async () => {
    for (let n = 0; n < 3; n += 1) expect(await send()).toMatch(/^250/);
    fill();
    let reply = '';
    await until(async () => {
      reply = await send();
      return !reply.startsWith('250');
    });
    expect(reply).toMatch(/^452 .*Nothing can be stored now/);
    const refused = await register('refused.example');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await health()).toMatchObject({
      status: 'failing',
      checks: expect.arrayContaining([
        expect.objectContaining({
          name: 'stores',
          status: 'failing',
          detail: expect.stringMatching(/full/),
        }),
      ]),
    });
  });

  test('goes on by itself when there is space, and everything accepted is there', async () => {
    rmSync(filler);
    await until(async () => (await health()).status === 'ok');
    expect(await send()).toMatch(/^250/);
    expect((await register('taken.example')).status).toBe(201);
    await until(async () => {
      const { body } = await api.call(
        'GET',
        `/api/v1/domains/${id}/reports/dmarc?limit=100&startDate=2020-01-01`,
      );
      const found = new Set(body.data.reports.map(({ reportId }: { reportId: string }) => reportId));
      return [...accepted].every((report) => found.has(report));
    });
    const { body } = await api.call(
      'GET',
      `/api/v1/domains/${id}/reports/dmarc?limit=100&startDate=2020-01-01`,
    );
    expect(body.data.reports).toHaveLength(accepted.size);
  });
});
