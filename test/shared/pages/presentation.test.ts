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

test.each([
  ['', '<a class="button" href="">Load this page again</a>'],
  ['/spf?domain=a.example', '<a class="button" href="/spf?domain=a.example">Back to the page</a>'],
  [undefined, '<p class="actions"><a class="button" href="/">'],
])('a page about too many requests says how long to wait, and leads back to %p', (again, link) => {
  const { status, body } = errorResponse(new ServiceError('rate_limited'), 'r1');
  const page = pages.error(body, status, { retryAfter: '34', again }).body;
  expect(page).toContain('You can try again in <strong>34 seconds</strong>.');
  expect(page).toContain(link);
});
