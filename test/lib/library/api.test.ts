import { expect, test } from '@jest/globals';
import { readDocument } from '../../docs/documents.ts';
import { LIBRARY_API, libraryApi } from '../../docs/library-api.ts';

test('the types of the library are the documented ones (npm run docs)', async () => {
  expect(await libraryApi()).toBe(readDocument(LIBRARY_API));
});
