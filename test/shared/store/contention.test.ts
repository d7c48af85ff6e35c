import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { reportErrors } from '../../../shared/runtime/http/middleware/report-errors.ts';
import { json } from '../../../shared/runtime/http/presentation.ts';
import { Contended, untilUncontended } from '../../../shared/store/contention.ts';

describe('an attempt to change an item', () => {
  test('is repeated until it succeeds', async () => {
    let attempts = 0;
    const value = await untilUncontended(async () => {
      attempts += 1;
      return attempts === 3 ? 'changed' : undefined;
    });
    expect([value, attempts]).toEqual(['changed', 3]);
  });

  test('ends after some repetitions, and at once if it throws', async () => {
    let attempts = 0;
    const lost = untilUncontended(async () => {
      attempts += 1;
      return undefined;
    });
    await expect(lost).rejects.toThrow(Contended);
    expect(attempts).toBe(8);
    await expect(untilUncontended(() => Promise.reject(new Error('other')))).rejects.toThrow('other');
  });
});

test('a request whose changes lose against others is answered with when to send it again', () => {
  const request = {
    event: { requestContext: { requestId: 'id', http: { method: 'PATCH' } } },
    error: new Contended(),
    response: undefined as unknown,
  };
  reportErrors(routes.updateDomain, json).onError?.(request as never);
  expect(request.response).toMatchObject({
    statusCode: 429,
    headers: { 'retry-after': '1' },
    body: expect.stringContaining('"code":"rate_limited"'),
  });
});
