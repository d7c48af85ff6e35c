/** Commands that use the service on this machine, one after the other on one service. */
import { describe, expect, test } from '@jest/globals';
import { openAdminDependencies } from '../../../lib/admin/open.ts';
import { adminCommand } from '../../kit/admin.ts';
import { atEnd } from '../../kit/use.ts';
import { useApi } from '../../kit/use-service.ts';

const { service, api } = await useApi();
// Most of the 400 days are then refused, which saves a minute; test/lib/admin/demo reads them all.
const opened = await openAdminDependencies({}, { DATA_DIR: service.dataDir, RETENTION_DAYS: '40' });
atEnd(() => opened?.close());

const admin = async (...args: string[]) =>
  (await adminCommand(args)({ ...opened.deps, setExitCode: () => undefined })).join('\n');

describe('send-test', () => {
  test('sends a message that is not spam, without any argument', async () => {
    expect(await admin('send-test')).toMatch(
      /^sent {5}from me@local\.test to \S+@tester\.localhost\ngmail {5}rejected: The sending IP address must have a reverse DNS name [\s\S]+\nmicrosoft delivered\n[\s\S]+\nverdict {2}ham, spam score [\s\S]+SPF_PASS\n[\s\S]+DMARC_PASS\n[\s\S]*page {5}http\S+\/t\/\w+$/,
    );
  });

  test('sends one that fails, to the address of a test', async () => {
    const { body } = await api.call('POST', '/api/inbound-tester/sessions');
    const said = await admin('send-test', body.email, '--from', 'me@good.test');
    expect(said).toContain(`to ${body.email}\n`);
    expect(said).toContain('SPF_FAIL');
  });

  test('says what the mail server replied', async () => {
    await expect(admin('send-test', 'nobody@elsewhere.example')).rejects.toThrow(
      /the mail server replied 55\d/,
    );
  });
});

test('demo verifies the example domains, and gives every list something to show', async () => {
  expect(await admin('demo')).toContain('good.test');
  const { body } = await api.call('GET', '/api/v1/domains');
  const unverified = body.data.filter(({ verified }: { verified: boolean }) => !verified);
  expect(unverified.map(({ domain }: { domain: string }) => domain)).toEqual(['servfail.test']);
  const { id } = body.data.find(({ domain }: { domain: string }) => domain === 'good.test');
  const shown = async (path: string) => (await api.call('GET', `/api/v1/${path}`)).body.data;
  expect((await shown(`domains/${id}/reports/dmarc`)).summary.totalReports).toBeGreaterThan(35);
  expect((await shown(`domains/${id}/reports/tls`)).summary.totalReports).toBeGreaterThan(3);
  const { sources } = await shown(`domains/${id}/reports/dmarc/sources`);
  const kinds = sources.map((one: Record<string, unknown>) => [one.authenticatedAs, one.dkimAligned !== 0]);
  expect(kinds).toEqual(
    expect.arrayContaining([
      [null, true],
      ['lists.forwarder.example', true],
      ['newsletter.example', false],
      [null, false],
    ]),
  );
  const { days } = await shown(`domains/${id}/reports/dmarc/timeline`);
  expect(days.filter(({ reports }: { reports: number }) => reports > 0)).toHaveLength(29);
  expect((await shown('alerts')).length).toBeGreaterThan(0);
});
