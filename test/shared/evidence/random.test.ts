import { test } from '@jest/globals';
import { testSigner } from '../../kit/signer.ts';
import { expectSame } from './random-evidence.ts';

const signer = testSigner();

/** All of them are in `random.long.test.ts`. */
test.each(Array.from({ length: 30 }, (_, seed) => seed))(
  'evidence of zone %i verifies to the same findings, and none that was changed verifies',
  (seed) => expectSame(seed, signer),
);
