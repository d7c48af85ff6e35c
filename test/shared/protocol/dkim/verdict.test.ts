import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { commentReasons } from '../../../../shared/protocol/dkim/verdict.ts';

const require = createRequire(import.meta.url);

/** They go with other results than `neutral`, by which the verdict is given. */
const ofOtherResults = ['body hash did not verify', 'bad signature', 'weak algorithm'];

test('every comment that the installed version of the library can write has a reason', () => {
  const source = readFileSync(require.resolve('mailauth/lib/dkim/dkim-verifier.js'), 'utf8');
  const { KEY_ERROR_COMMENTS } = require('mailauth/lib/tools');
  const assigned = source.matchAll(/\b(?:skip|invalid|keyError|comment) = ['`]([^'`$]+)['`]/g);
  const violations = source.matchAll(/\bviolation\((?:\w+ \? )?'([^']+)'(?: : '([^']+)')?/g);
  const comments = new Set([
    ...[...assigned, ...violations].flatMap(([, ...texts]) => texts.filter((text) => text !== undefined)),
    ...KEY_ERROR_COMMENTS.values(),
  ]);
  expect([...comments].sort()).toEqual([...Object.keys(commentReasons), ...ofOtherResults].sort());
});
