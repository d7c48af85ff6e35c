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
    steps: [
      {
        name: 'the token can list domains',
        run: async () => {
          await api.read(data(z.array(listedDomain)), 'GET', '/api/v1/domains', 200);
        },
      },
      {
        name: `a domain can be registered (${domain})`,
        run: async () => {
          const registered = (await register()).data;
          id = registered.id;
          address = registered.reporting.ruaAddress.replace('mailto:', '');
        },
      },
      {
        name: 'the same request with the same Idempotency-Key returns the same domain',
        run: async () => {
          const again = (await register()).data.id;
          expectThat(again === id, `the domain has the id ${again}`);
        },
      },
      {
        name: 'a batch says that it exists',
        run: async () => {
          const json = { domains: [registration] };
          const batch = await api.read(data(z.array(batchOutcome)), 'POST', '/api/v1/domains/batch', 200, {
            json,
          });
          expectThat(batch.data[0]?.status === 409, `the status is ${batch.data[0]?.status}`);
        },
      },
      {
        name: 'it is found by its tag',
        run: async () => {
          const list = await api.read(data(z.array(listedDomain)), 'GET', `/api/v1/domains?tag=${tag}`, 200);
          expectThat(list.data[0]?.id === id, `${list.data.length} other domains have its tag`);
        },
      },
      {
        name: 'the summary counts it',
        run: async () => {
          const { domains } = (await api.read(data(summary), 'GET', '/api/v1/summary', 200)).data;
          expectThat(domains.total > 0, 'there are no domains');
        },
      },
      {
        name: 'who sends as all domains is listed',
        run: async () => {
          await api.read(data(z.array(organizationSource)), 'GET', '/api/v1/reports/dmarc/sources', 200);
        },
      },
      {
        name: 'it is not sent again to a client that has it',
        run: async () => {
          const { headers } = await api.request('GET', path(), 200);
          const known = { 'if-none-match': headers.get('etag') ?? '' };
          await api.request('GET', path(), 304, { headers: known });
        },
      },
      {
        name: 'it is not changed by a client that knows an earlier version',
        run: async () => {
          const call = { json: { tags: [] }, headers: { 'if-match': '"earlier"' } };
          await api.read(errorBody('precondition_failed'), 'PATCH', path(), 412, call);
        },
      },
      {
        name: 'its verification record is available',
        run: async () => {
          const answer = await api.read(data(verificationStatus), 'GET', path('/verify'), 200);
          const { hostname } = answer.data.verificationRecord;
          expectThat(hostname.endsWith(`.${domain}`), `the record is at ${hostname}`);
        },
      },
      {
        name: 'verification fails while the record is not published',
        run: async () => {
          const answer = await api.read(data(verificationAttempt), 'POST', path('/verify'), 200);
          expectThat(!answer.data.verified, 'the domain is verified');
        },
      },
      {
        name: 'its checks run, and their DNS lookups succeed',
        run: async () => {
          const answer = await api.read(data(checkRun), 'POST', path('/checks'), 200);
          const { spf, dmarc } = answer.data.results;
          expectThat(
            [spf, dmarc].every(({ state }) => state !== 'unknown'),
            'DNS lookups of the service fail',
          );
        },
      },
      {
        name: 'it has no score until it exists',
        run: async () => {
          const answer = await api.read(data(score), 'GET', path('/score'), 200);
          expectThat(answer.data.score === null && !answer.data.exists, `the score is ${answer.data.score}`);
        },
      },
      {
        name: 'no change is recommended until it exists',
        run: async () => {
          const plan = (await api.read(data(fixes), 'GET', path('/fixes'), 200)).data;
          expectThat(plan.changes.length === 0, `${plan.changes.length} changes are recommended`);
        },
      },
      {
        name: 'a preview of a DMARC record resolves its finding',
        run: async () => {
          const json = { zone: '_dmarc TXT "v=DMARC1; p=none"' };
          const answer = await api.read(data(preview), 'POST', path('/checks/preview'), 200, { json });
          const ids = answer.data.resolved.map(({ id }) => id);
          expectThat(ids.includes('dmarc-missing'), `it resolves ${ids.join(', ')}`);
        },
      },
      {
        name: 'a simulation of p=reject has no messages',
        run: async () => {
          const json = { dmarc: 'v=DMARC1; p=reject' };
          const { summary } = (await api.read(data(simulation), 'POST', path('/simulations'), 200, { json }))
            .data;
          expectThat(summary.messages === 0, `it has ${summary.messages} messages`);
        },
      },
      {
        name: 'its first step to enforcement is a record',
        run: async () => {
          const { stage } = (await api.read(data(enforcement), 'GET', path('/enforcement'), 200)).data;
          expectThat(stage === 'no-record', `its stage is ${stage}`);
        },
      },
      ...mailSteps(api, smtp, { domain, path: () => path('/reports/mails'), address: () => address }),
      {
        name: 'no failing report is found',
        run: async () => {
          const query = 'failing=true&reporter=reporter.test&sourceIp=192.0.2.1';
          const found = await api.read(data(dmarcReports), 'GET', path(`/reports/dmarc?${query}`), 200);
          expectThat(found.data.reports.length === 0, `${found.data.reports.length} reports are found`);
        },
      },
      {
        name: 'a report that does not exist cannot be deleted',
        run: async () => {
          for (const kind of ['dmarc', 'tls'])
            await api.read(errorBody('not_found'), 'DELETE', path(`/reports/${kind}/${id}`), 404);
        },
      },
      {
        name: 'it can be removed',
        run: async () => {
          await api.read(data(deleted), 'DELETE', path(), 200);
        },
      },
      {
        name: 'it no longer exists',
        run: async () => {
          await api.read(errorBody('not_found'), 'GET', path(), 404);
        },
      },
    ],
    cleanUp: { name: 'the domain is cleaned up', run: () => removeLeft(api, domain) },
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
