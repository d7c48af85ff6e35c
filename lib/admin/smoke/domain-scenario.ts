/** Registers, verifies, checks, scores, and removes a domain. */
import * as z from 'zod/mini';
import { checkRun, score } from '../../../shared/api/checks.ts';
import {
  batchOutcome,
  createdDomain,
  deleted,
  listedDomain,
  verificationAttempt,
  verificationStatus,
} from '../../../shared/api/domains.ts';
import { fixes, preview } from '../../../shared/api/fixes.ts';
import { dmarcReports } from '../../../shared/api/reports.ts';
import { summary } from '../../../shared/api/summary.ts';
import { organizationSource } from '../../../shared/enforcement/organization-shapes.ts';
import { enforcement, simulation } from '../../../shared/enforcement/shapes.ts';
import type { Client } from './client.ts';
import { mailSteps } from './mail-steps.ts';
import { data, errorBody, expectThat, type Scenario } from './scenario.ts';
import type { MailServer } from './send-message.ts';

/** Mail is sent only if a mail server is given. */
export function domainScenario(api: Client, smtp: MailServer | undefined, domain: string): Scenario {
  let id = '';
  let address = '';
  const [tag = ''] = domain.split('.');
  const registration = { domain, testEmailLocalPart: 'postmaster', tags: [tag] };
  const register = () =>
    api.read(data(createdDomain), 'POST', '/api/v1/domains', 201, {
      json: registration,
      headers: { 'idempotency-key': `"${tag}"` },
    });
  const path = (rest = '') => `/api/v1/domains/${id}${rest}`;
  return {
    steps: {
      'the token can list domains': () =>
        api.read(data(z.array(listedDomain)), 'GET', '/api/v1/domains', 200),
      [`a domain can be registered (${domain})`]: async () => {
        const registered = (await register()).data;
        id = registered.id;
        address = registered.reporting.ruaAddress.replace('mailto:', '');
      },
      'the same request with the same Idempotency-Key returns the same domain': async () => {
        const again = (await register()).data.id;
        expectThat(again === id, `the domain has the id ${again}`);
      },
      'a batch says that it exists': async () => {
        const json = { domains: [registration] };
        const batch = await api.read(data(z.array(batchOutcome)), 'POST', '/api/v1/domains/batch', 200, {
          json,
        });
        expectThat(batch.data[0]?.status === 409, `the status is ${batch.data[0]?.status}`);
      },
      'it is found by its tag': async () => {
        const list = await api.read(data(z.array(listedDomain)), 'GET', `/api/v1/domains?tag=${tag}`, 200);
        expectThat(list.data[0]?.id === id, `${list.data.length} other domains have its tag`);
      },
      'the summary counts it': async () => {
        const { domains } = (await api.read(data(summary), 'GET', '/api/v1/summary', 200)).data;
        expectThat(domains.total > 0, 'there are no domains');
      },
      'who sends as all domains is listed': () =>
        api.read(data(z.array(organizationSource)), 'GET', '/api/v1/reports/dmarc/sources', 200),
      'it is not sent again to a client that has it': async () => {
        const { headers } = await api.request('GET', path(), 200);
        const known = { 'if-none-match': headers.get('etag') ?? '' };
        await api.request('GET', path(), 304, { headers: known });
      },
      'it is not changed by a client that knows an earlier version': async () => {
        const call = { json: { tags: [] }, headers: { 'if-match': '"earlier"' } };
        await api.read(errorBody('precondition_failed'), 'PATCH', path(), 412, call);
      },
      'its verification record is available': async () => {
        const answer = await api.read(data(verificationStatus), 'GET', path('/verify'), 200);
        const { hostname } = answer.data.verificationRecord;
        expectThat(hostname.endsWith(`.${domain}`), `the record is at ${hostname}`);
      },
      'verification fails while the record is not published': async () => {
        const answer = await api.read(data(verificationAttempt), 'POST', path('/verify'), 200);
        expectThat(!answer.data.verified, 'the domain is verified');
      },
      'its checks run, and their DNS lookups succeed': async () => {
        const answer = await api.read(data(checkRun), 'POST', path('/checks'), 200);
        const { spf, dmarc } = answer.data.results;
        expectThat(
          [spf, dmarc].every(({ state }) => state !== 'unknown'),
          'DNS lookups of the service fail',
        );
      },
      'it has no score until it exists': async () => {
        const answer = await api.read(data(score), 'GET', path('/score'), 200);
        expectThat(answer.data.score === null && !answer.data.exists, `the score is ${answer.data.score}`);
      },
      'no change is recommended until it exists': async () => {
        const plan = (await api.read(data(fixes), 'GET', path('/fixes'), 200)).data;
        expectThat(plan.changes.length === 0, `${plan.changes.length} changes are recommended`);
      },
      'a preview of a DMARC record resolves its finding': async () => {
        const json = { zone: '_dmarc TXT "v=DMARC1; p=none"' };
        const answer = await api.read(data(preview), 'POST', path('/checks/preview'), 200, { json });
        const ids = answer.data.resolved.map(({ id }) => id);
        expectThat(ids.includes('dmarc-missing'), `it resolves ${ids.join(', ')}`);
      },
      'a simulation of p=reject has no messages': async () => {
        const json = { dmarc: 'v=DMARC1; p=reject' };
        const { summary } = (await api.read(data(simulation), 'POST', path('/simulations'), 200, { json }))
          .data;
        expectThat(summary.messages === 0, `it has ${summary.messages} messages`);
      },
      'its first step to enforcement is a record': async () => {
        const { stage } = (await api.read(data(enforcement), 'GET', path('/enforcement'), 200)).data;
        expectThat(stage === 'no-record', `its stage is ${stage}`);
      },
      ...mailSteps(api, smtp, { domain, path: () => path('/reports/mails'), address: () => address }),
      'no failing report is found': async () => {
        const query = 'failing=true&reporter=reporter.test&sourceIp=192.0.2.1';
        const found = await api.read(data(dmarcReports), 'GET', path(`/reports/dmarc?${query}`), 200);
        expectThat(found.data.reports.length === 0, `${found.data.reports.length} reports are found`);
      },
      'a report that does not exist cannot be deleted': async () => {
        for (const kind of ['dmarc', 'tls'])
          await api.read(errorBody('not_found'), 'DELETE', path(`/reports/${kind}/${id}`), 404);
      },
      'it can be removed': () => api.read(data(deleted), 'DELETE', path(), 200),
      'it no longer exists': () => api.read(errorBody('not_found'), 'GET', path(), 404),
    },
    cleanUp: { 'the domain is cleaned up': () => removeLeft(api, domain) },
  };
}

/** How many pages of domains are searched. */
const MAX_PAGES = 100;

/** Searches the list, because the registration may have succeeded although its response was invalid. */
async function removeLeft(api: Client, domain: string): Promise<void> {
  const schema = z.object({
    data: z.array(z.object({ id: z.string(), domain: z.string() })),
    meta: z.object({ pagination: z.object({ hasMore: z.boolean() }) }),
  });
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const list = await api.read(schema, 'GET', `/api/v1/domains?limit=100&page=${page}`, 200);
    const left = list.data.find((one) => one.domain === domain);
    if (left !== undefined) await api.request('DELETE', `/api/v1/domains/${left.id}`, 200);
    if (left !== undefined || !list.meta.pagination.hasMore) return;
  }
}
