import { expect, test } from '@jest/globals';
import { granted } from '../../../shared/mcp/tool.ts';
import { Refused } from '../../../shared/operations/outcome.ts';

test('what is refused says why in one sentence for the model, and when to try again', () => {
  expect(granted({ value: 1 })).toEqual({ value: 1 });
  const limited = new Refused('rate_limited', 'Too many requests', { retryAfterMilliseconds: 1_200 });
  expect(() => granted(limited)).toThrow(/^Too many requests; Try again in 2 seconds\.$/);
  const problems = [
    { path: 'domain', message: 'must not be empty' },
    { path: '', message: 'one of both' },
  ] as const;
  const invalid = new Refused('invalid_request', 'The request is not valid', { problems });
  expect(() => granted(invalid)).toThrow(/^domain must not be empty; one of both$/);
});
