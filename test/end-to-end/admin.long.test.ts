/** The operator's commands as programs, and dead letters that a service gets again. */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { triggers } from '../../functions/triggers.ts';
import { release } from '../../lib/local/host/release.ts';
import { readSettings } from '../../lib/local/host/settings.ts';
import { QUEUES_FILE } from '../../lib/local/stores/files.ts';
import { openObjectStore } from '../../lib/local/stores/objects/object-store.ts';
import { deadLettersOf, openQueueStore } from '../../lib/local/stores/queues/queue-store.ts';
import { adminInProcess } from '../kit/admin.ts';
import { apiClient } from '../kit/api-client.ts';
import { register } from '../kit/register.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import { bootService, runToEnd } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { useService } from '../kit/use-service.ts';

/** A folder that no command needs. */
const nowhere = { DATA_DIR: '/nowhere/at/all' };

test('admin shows its usage if it gets no arguments', async () => {
  const { code, output } = await runToEnd('admin.ts', [], nowhere);
  expect([code, output]).toEqual([0, expect.stringMatching(/^Usage: npm run admin/)]);
  expect(output).not.toContain('error');
});

test.each([['admin.ts'], ['dns.ts'], ['smoke.ts'], ['inspect.ts']])(
  '%s shows its usage with --help, and its version with --version',
  async (main) => {
    const help = await runToEnd(main, ['--help'], nowhere);
    expect([help.code, help.output]).toEqual([0, expect.stringMatching(/^Usage: npm run /)]);
    expect(help.output).not.toContain('error');
    expect(await runToEnd(main, ['--version'], nowhere)).toEqual({ code: 0, output: `${release()}\n` });
  },
);

test('exits with 2 on wrong usage, and inspect with 64, because 2 is a result of it', async () => {
  const codeOf = async (main: string) => (await runToEnd(main, ['--nonsense'], nowhere)).code;
  const mains = ['admin.ts', 'dns.ts', 'start.ts', 'inspect.ts'];
  expect(await Promise.all(mains.map(codeOf))).toEqual([2, 2, 2, 64]);
});

describe('npm run admin -- dead-letters', () => {
  test('redrives dead letters of a stopped service and of a running one', async () => {
    const first = await bootService();
    const domain = 'redriven.example';
    const { id, address: recipient } = await register(await apiClient(first), domain);
    await first.end('SIGTERM');
    const dead = ['one', 'two'].map((name) => deadLetter(first.dataDir, name, { domain, recipient }));
    wearOut(first.dataDir, 'deletions');

    const deadLetters = async (...args: string[]) => {
      const ran = await adminInProcess(['dead-letters', ...args], { DATA_DIR: first.dataDir });
      expect([ran.code, ran.code === 0 ? '' : ran.output]).toEqual([0, '']);
      return ran.output;
    };
    const stopped = await deadLetters('list');
    expect(stopped).toContain('reports: 2 dead letters');
    for (const name of ['one', 'two'])
      expect(stopped).toContain(`mail reports/${name} to ${recipient} (${domain})`);
    await deadLetters('redrive', 'reports', '--message', dead[0] ?? '');

    const again = await useService({ DATA_DIR: first.dataDir, LOG_LEVEL: 'warn' });
    const client = await apiClient(again);
    const reportIds = async () => {
      const { body } = await client.call('GET', `/api/v1/domains/${id}/reports/dmarc`);
      return body.data.reports.map(({ reportId }: { reportId: string }) => reportId);
    };
    await until(async () => (await reportIds()).length === 1);
    await until(() => again.output().includes('message moved to dead letters'));
    expect(await deadLetters('list', 'deletions')).toContain('deletions: 1 dead letter\n');
    expect(await deadLetters('list', 'reports')).toContain('reports: 1 dead letter\n');
    expect(await deadLetters('redrive', 'reports', '--all')).toBe(
      'reports: 1 message sent back to the queue\n',
    );
    await until(async () => (await reportIds()).length === 2);
    expect((await reportIds()).toSorted()).toEqual(['one', 'two']);
    expect(await deadLetters('list', 'reports')).toBe('reports: none\n');
  });

  /** Sends a message that was received as often as it is when the service starts. */
  function wearOut(dataDir: string, name: 'deletions'): void {
    const { maxReceiveCount } = triggers.drainDeletedDomain.source;
    const queue = { name, maxReceiveCount, visibilityTimeoutSeconds: 60 };
    const queues = openQueueStore(join(dataDir, QUEUES_FILE), [queue]);
    queues.send(name, JSON.stringify({ domainId: 'd1' }), 0);
    for (let receive = 1; receive <= maxReceiveCount; receive += 1) {
      for (const { receipt } of queues.receive(queue, 1, 60)) queues.hide(name, receipt, 0);
    }
    queues.close();
  }

  /** Keeps a report mail whose message lies in the dead letters; returns the id of that. */
  function deadLetter(
    dataDir: string,
    name: string,
    { domain, recipient }: { domain: string; recipient: string },
  ) {
    const { MAIL_BUCKET } = readSettings({});
    const objects = openObjectStore(join(dataDir, 'objects.sqlite'), [MAIL_BUCKET]);
    const content = Buffer.from(dmarcMail({ domain, id: name }));
    const key = `reports/${name}`;
    const facts = {
      key,
      size: content.length,
      md5: '',
      crc32: crc32(content),
      modified: new Date(),
      headers: {},
    };
    objects.put(MAIL_BUCKET, { ...facts, content });
    objects.close();
    const definition = { name: 'reports', maxReceiveCount: 5, visibilityTimeoutSeconds: 60 };
    const queues = openQueueStore(join(dataDir, QUEUES_FILE), [definition]);
    const mail = {
      messageId: name,
      receivedAt: new Date(),
      recipients: [recipient],
      rawKey: key,
      verdicts: null,
    };
    const message = queues.send(deadLettersOf('reports'), JSON.stringify(mail), 0);
    queues.close();
    return message;
  }
});
