/** Registers, verifies, checks, scores, and removes a domain. */
import * as z from 'zod/mini';
import { checkRun, score } from '../../../shared/api/checks.ts';
import {
  createdDomain,
  deleted,
  listedDomain,
  verificationAttempt,
  verificationStatus,
} from '../../../shared/api/domains.ts';
import type { Client } from './client.ts';
import { data, errorBody, expectThat, type Scenario } from './scenario.ts';

export function domainScenario(api: Client, domain: string): Scenario {
  let id = '';
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
          const json = { domain, testEmailLocalPart: 'postmaster' };
          ({ id } = (await api.read(data(createdDomain), 'POST', '/api/v1/domains', 201, { json })).data);
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
        name: 'it has a score',
        run: async () => {
          const answer = await api.read(data(score), 'GET', path('/score'), 200);
          expectThat(answer.data.score !== null, 'the score is null');
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
