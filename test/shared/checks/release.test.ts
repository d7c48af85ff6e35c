import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { RELEASE } from '../../../shared/checks/release.ts';

test('evidence names the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(RELEASE).toBe(version);
});
