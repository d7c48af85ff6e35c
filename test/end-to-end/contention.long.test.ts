/** Requests that compete for the same item: limits stay exact, and none fails with an internal error. */
import { expect, test } from '@jest/globals';
import type { ApiClient } from '../kit/api-client.ts';
import { useApi } from '../kit/use-service.ts';

const { api } = await useApi({ API_RATE_PER_MINUTE: '0' });

type Call = Parameters<ApiClient['call']>;

/** The responses to `count` equal requests that are sent at the same time. */
const together = (count: number, ...call: Call) =>
  Promise.all(Array.from({ length: count }, () => api.call(...call)));

/** How many of the responses have each status. */
function statusesOf(responses: readonly { readonly status: number }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function register(domain: string): Promise<string> {
  const json = { domain, usageType: 'sends-only' };
  const { body } = await api.call('POST', '/api/v1/domains', { json });
  return body.data.id;
}

/** The subjects of an action in the audit log. */
async function audited(action: string): Promise<string[]> {
  const { body } = await api.call('GET', '/api/v1/audit?limit=100');
  return body.data
    .filter((entry: { action: string }) => entry.action === action)
    .map(({ subject }: { subject: string }) => subject);
}

const tokens = '/api/v1/tokens';

async function validTokens(): Promise<number> {
  const [first, second] = await Promise.all(
    [1, 2].map((page) => api.call('GET', `${tokens}?limit=100&page=${page}`)),
  );
  return first?.body.data.length + second?.body.data.length;
}

test('of 150 tokens that are created at the same time, as many are created as the limit allows', async () => {
  const before = await validTokens();
  const responses = await together(150, 'POST', tokens, { json: { name: 'parallel' } });
  expect(await validTokens()).toBe(100);
  const { 201: created = 0, 403: refused = 0, 429: later = 0 } = statusesOf(responses);
  expect([created, refused + later]).toEqual([100 - before, 50 + before]);
  // A revoked token leaves room for one other.
  const one = responses.find(({ status }) => status === 201);
  await api.call('DELETE', `${tokens}/${one?.body.data.id}`);
  const further = await together(5, 'POST', tokens, { json: { name: 'further' } });
  expect(statusesOf(further)).toEqual({ 201: 1, 403: 4 });
});

test('of 20 deletions of a token at the same time, one is in the audit log', async () => {
  const { body } = await api.call('GET', tokens);
  const { id } = body.data.at(-1);
  const responses = await together(20, 'DELETE', `${tokens}/${id}`);
  expect(statusesOf(responses)).toEqual({ 200: 1, 404: 19 });
  expect((await audited('deleteToken')).filter((subject) => subject === id)).toEqual([id]);
});

test('changes of one domain at the same time succeed, or are to be sent again', async () => {
  const path = `/api/v1/domains/${await register('changed.example.org')}`;
  const responses = await together(200, 'PATCH', path, { json: { tags: ['one'] } });
  const { 200: succeeded = 0, 429: later = 0 } = statusesOf(responses);
  expect(succeeded).toBeGreaterThan(0);
  expect(succeeded + later).toBe(200);
  for (const { headers } of responses.filter(({ status }) => status === 429))
    expect(headers.get('retry-after')).toBe('1');
});

test('of 20 deletions of a domain at the same time, one is in the audit log', async () => {
  const id = await register('deleted.example.org');
  const responses = await together(20, 'DELETE', `/api/v1/domains/${id}`);
  expect(statusesOf(responses)).toEqual({ 200: 1, 404: 19 });
  expect(await audited('deleteDomain')).toEqual([id]);
});
