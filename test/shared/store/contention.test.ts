import { expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { reportErrors } from '../../../shared/runtime/http/middleware/report-errors.ts';
import { json } from '../../../shared/runtime/http/presentation.ts';
import { Contended } from '../../../shared/store/contention.ts';

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
