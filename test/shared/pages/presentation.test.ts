import { expect, test } from '@jest/globals';
import { pages } from '../../../shared/pages/presentation.ts';
import { errorResponse, ServiceError } from '../../../shared/runtime/http/errors.ts';

const shown = (message?: string) => {
  const { status, body } = errorResponse(new ServiceError('not_found', message), 'r1');
  return pages.error(body, status).body.replace(/^[\s\S]*<main/, '');
};

test('the page of an unknown address says once that there is nothing', () => {
  expect(shown()).toContain('Page not found');
  expect(shown()).not.toContain('does not exist');
});

test('the page of something that is gone says what it was', () => {
  expect(shown('This test does not exist or has expired.')).toContain(
    'This test does not exist or has expired.',
  );
});
