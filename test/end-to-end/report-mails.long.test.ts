/** The mails that a report mailbox received, through the API. */
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readSettings } from '../../lib/local/host/settings.ts';
import { openObjectStore } from '../../lib/local/stores/objects/object-store.ts';
import { register } from '../kit/register.ts';
import { dmarcMail, reportMail, tlsJson } from '../kit/report-mails.ts';
import { servedFrom } from '../kit/service.ts';
import { sendMail } from '../kit/smtp-client.ts';
import { until } from '../kit/until.ts';
import { useApi } from '../kit/use-service.ts';

let registered = 0;

const { service, api } = await useApi({ API_RATE_PER_MINUTE: '0' });

/** A new domain, the path of what concerns its reports, and its mailbox. */
async function newDomain() {
  registered += 1;
  const { id, domain, address } = await register(api, `d${registered}.example`);
  return { domain, path: `/api/v1/domains/${id}/reports`, to: [address] };
}

const send = (to: readonly string[], message: string) => sendMail(service.smtpPort, { to, message });

/** The mails of a domain, as soon as there are as many. */
async function mailsOf(path: string, expected: number): Promise<{ id: string }[]> {
  let found: { id: string }[] = [];
  await until(async () => {
    found = (await api.call('GET', `${path}/mails`)).body.data;
    return found.length === expected;
  });
  return found;
}

const failure = reportMail({
  attachments: [{ name: 'a', type: 'message/feedback-report', bytes: 'Feedback-Type: auth-failure\r\n' }],
});

describe('the list of mails', () => {
  test('has every mail with its outcomes, and can be filtered', async () => {
    const { domain, path, to } = await newDomain();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const common = { id: expect.stringMatching(/^\d+-\w+$/), receivedAt: time, from: 'dmarc@reporter.test' };
    const subject = 'Report Domain: example.test';
    await send(to, dmarcMail({ domain }));
    await mailsOf(path, 1);
    await send(to, reportMail({ attachments: [] }));
    await mailsOf(path, 2);
    await send(to, failure);
    const mails = await mailsOf(path, 3);
    const reason = expect.any(String);
    const { body } = await api.call('GET', `${path}/dmarc`);
    const [{ id: reportId }] = body.data.reports;
    expect(mails).toEqual([
      { ...common, subject: null, outcomes: [{ outcome: 'failure-report', reason }] },
      { ...common, subject, outcomes: [{ outcome: 'not-a-report', reason }] },
      { ...common, subject, outcomes: [{ outcome: 'accepted', reportId }] },
    ]);
    const filtered = await api.call('GET', `${path}/mails?outcome=not-a-report&limit=1`);
    expect(filtered.body).toEqual({
      data: [mails[1]],
      meta: { pagination: { page: 1, limit: 1, hasMore: false } },
    });
    expect((await api.call('GET', `${path}/mails?endDate=2020-01-01`)).body.data).toEqual([]);
  });
});

describe('deleting a report', () => {
  test.each(['dmarc', 'tls'])('removes it from the list and its totals, and is audited: %s', async (kind) => {
    const { domain, path, to } = await newDomain();
    const attachments = [{ name: 'r.json', bytes: tlsJson(domain) }];
    await send(to, kind === 'dmarc' ? dmarcMail({ domain }) : reportMail({ attachments }));
    const [mail] = await mailsOf(path, 1);
    const list = async () => (await api.call('GET', `${path}/${kind}`)).body.data;
    const [{ id }] = (await list()).reports;
    expect(mail).toMatchObject({ outcomes: [{ outcome: 'accepted', reportId: id }] });
    const elsewhere = await api.call('DELETE', `${path}/${kind}/${id}?endDate=2020-01-01`);
    expect(elsewhere.status).toBe(404);
    const deletion = await api.call('DELETE', `${path}/${kind}/${id}`);
    expect([deletion.status, deletion.body]).toEqual([200, { data: { deleted: true } }]);
    expect(await list()).toMatchObject({ reports: [], summary: { totalReports: 0 } });
    expect((await api.call('DELETE', `${path}/${kind}/${id}`)).status).toBe(404);
    const { data } = (await api.call('GET', '/api/v1/audit?limit=1')).body;
    const action = kind === 'dmarc' ? 'deleteDmarcReport' : 'deleteTlsReport';
    expect(data).toEqual([expect.objectContaining({ action, subject: id, name: domain })]);
    expect(await mailsOf(path, 1)).toEqual([mail]);
  });
});

describe('reading a mail again', () => {
  test('restores a deleted report, has the same result each time, and is audited', async () => {
    const { domain, path, to } = await newDomain();
    await send(to, dmarcMail({ domain }));
    const [mail] = await mailsOf(path, 1);
    const list = async () => (await api.call('GET', `${path}/dmarc`)).body.data;
    const before = await list();
    await api.call('DELETE', `${path}/dmarc/${before.reports[0].id}`);
    expect((await list()).reports).toEqual([]);
    for (const _ of ['once', 'twice']) {
      const { status, body } = await api.call('POST', `${path}/mails/${mail?.id}/replay`);
      expect([status, body.data]).toEqual([200, mail]);
      expect(await list()).toEqual(before);
    }
    const { data } = (await api.call('GET', '/api/v1/audit?limit=1')).body;
    const entry = { action: 'replayReportMail', subject: mail?.id, name: domain };
    expect(data).toEqual([expect.objectContaining(entry)]);
  });

  test('is a 404 for a mail that does not exist', async () => {
    const { path } = await newDomain();
    for (const mailId of ['1767603600000-unknown', 'malformed'])
      expect((await api.call('POST', `${path}/mails/${mailId}/replay`)).status).toBe(404);
  });
});

describe('downloading a mail', () => {
  const withScope = async (scope: string) =>
    (await api.call('POST', '/api/v1/tokens', { json: { name: scope, scope } })).body.data.token;

  test('returns the message as it arrived, to be saved and never to be cached', async () => {
    const { domain, path, to } = await newDomain();
    const message = dmarcMail({ domain });
    await send(to, message);
    const [mail] = await mailsOf(path, 1);
    const token = await withScope('read');
    const { status, headers, body } = await api.call('GET', `${path}/mails/${mail?.id}/raw`, { token });
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      ...[200, 'message/rfc822', `attachment; filename="${mail?.id}.eml"`],
    ]);
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null]);
    expect(body).toContain(message);
  });

  test('needs a token with the scope admin for a failure report', async () => {
    const { path, to } = await newDomain();
    await send(to, failure);
    const [mail] = await mailsOf(path, 1);
    for (const scope of ['read', 'write']) {
      const token = await withScope(scope);
      const { status, body } = await api.call('GET', `${path}/mails/${mail?.id}/raw`, { token });
      expect([status, body.error.code]).toEqual([403, 'forbidden']);
    }
    const token = await withScope('admin');
    const { status, body } = await api.call('GET', `${path}/mails/${mail?.id}/raw`, { token });
    expect([status, body]).toEqual([200, expect.stringContaining(failure)]);
  });
});

describe('a mail cannot be downloaded', () => {
  const codeOf = async (path: string, id: string | undefined) => {
    const { status, body } = await api.call('GET', `${path}/mails/${id}/raw`);
    return [status, body.message];
  };

  test('if it is larger than 4 MB', async () => {
    const { path, to } = await newDomain();
    await send(to, reportMail({ attachments: [{ name: 'a', bytes: new Uint8Array(4_000_000) }] }));
    const [mail] = await mailsOf(path, 1);
    expect(await codeOf(path, mail?.id)).toEqual([413, expect.stringMatching(/^The message is larger than/)]);
  });

  test('if its message is no longer stored, or there is no such mail', async () => {
    const { path, to } = await newDomain();
    await send(to, reportMail({ attachments: [] }));
    const [mail] = await mailsOf(path, 1);
    const { MAIL_BUCKET } = readSettings(servedFrom());
    const objects = openObjectStore(join(service.dataDir, 'objects.sqlite'), [MAIL_BUCKET]);
    objects.delete(MAIL_BUCKET, `reports/${mail?.id.slice(mail.id.indexOf('-') + 1)}`);
    objects.close();
    expect(await codeOf(path, mail?.id)).toEqual([404, 'The message is no longer stored.']);
    expect(await codeOf(path, '1767603600000-unknown')).toEqual([404, 'The mail does not exist.']);
  });
});
