/** A domain is registered, told how to prove itself, checked, scored and removed. */
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
import { data, errorBody, type Journey, must } from './journey.ts';

export function domainJourney(api: Client, domain: string): Journey {
  let id = '';
  const path = (rest = '') => `/api/v1/domains/${id}${rest}`;
  return {
    steps: [
      {
        name: 'a token lists its domains',
        run: async () => {
          await api.read(data(z.array(listedDomain)), 'GET', '/api/v1/domains', 200);
        },
      },
      {
        name: `a domain is registered (${domain})`,
        run: async () => {
          const json = { domain, testEmailLocalPart: 'postmaster' };
          ({ id } = (await api.read(data(createdDomain), 'POST', '/api/v1/domains', 201, { json })).data);
        },
      },
      {
        name: 'it is told how ownership is proven',
        run: async () => {
          const answer = await api.read(data(verificationStatus), 'GET', path('/verify'), 200);
          const { hostname } = answer.data.verificationRecord;
          must(hostname.endsWith(`.${domain}`), `the record is at ${hostname}`);
        },
      },
      {
        name: 'a record that is not published proves nothing',
        run: async () => {
          const answer = await api.read(data(verificationAttempt), 'POST', path('/verify'), 200);
          must(!answer.data.verified, 'ownership counts as proven');
        },
      },
      {
        name: 'its checks run, and the DNS answers them',
        run: async () => {
          const answer = await api.read(data(checkRun), 'POST', path('/checks'), 200);
          const { spf, dmarc } = answer.data.results;
          must(
            [spf, dmarc].every(({ state }) => state !== 'unknown'),
            'the service cannot reach the DNS',
          );
        },
      },
      {
        name: 'it has a score',
        run: async () => {
          const answer = await api.read(data(score), 'GET', path('/score'), 200);
          must(answer.data.score !== null, 'there is none');
        },
      },
      {
        name: 'it is removed',
        run: async () => {
          await api.read(data(deleted), 'DELETE', path(), 200);
        },
      },
      {
        name: 'it is gone',
        run: async () => {
          await api.read(errorBody('not_found'), 'GET', path(), 404);
        },
      },
    ],
    cleanUp: { name: 'nothing of it is left', run: () => removeLeft(api, domain) },
  };
}

/** As many pages of domains as are looked through for one. */
const MAX_PAGES = 100;

/** The answer to the registration may be what was wrong, and so the list tells whether there is anything to remove. */
async function removeLeft(api: Client, domain: string): Promise<void> {
  const schema = z.object({
    data: z.array(z.object({ id: z.string(), domain: z.string() })),
    meta: z.object({ pagination: z.object({ hasMore: z.boolean() }) }),
  });
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const list = await api.read(schema, 'GET', `/api/v1/domains?limit=100&page=${page}`, 200);
    const left = list.data.find((one) => one.domain === domain);
    if (left !== undefined) await api.ask('DELETE', `/api/v1/domains/${left.id}`, 200);
    if (left !== undefined || !list.meta.pagination.hasMore) return;
  }
}
