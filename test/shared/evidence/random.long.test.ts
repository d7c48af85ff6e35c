import { test } from '@jest/globals';
import { testSigner } from '../../kit/signer.ts';
import { expectSame } from './random-evidence.ts';

const ZONES = 2000;

test('the evidence of 2,000 random zones verifies to the same findings, and none that was changed verifies', async () => {
  const signer = testSigner();
  for (let seed = 0; seed < ZONES; seed += 1) await expectSame(seed, signer);
}, 600_000);
