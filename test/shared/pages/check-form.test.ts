import { expect, test } from '@jest/globals';
import { checkPath } from '../../../shared/pages/check-form.ts';

test('the form action encodes any name', () => {
  expect(new URL(checkPath('/spf', 'a&b=c'), 'http://x').searchParams.get('domain')).toBe('a&b=c');
});
