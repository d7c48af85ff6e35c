import { test } from '@jest/globals';
import { testSigner } from '../../kit/signer.ts';
import { expectSame } from './random-evidence.ts';

/** `EVIDENCE_ZONES=2000` is what runs at night. */
const ZONES = Number(process.env.EVIDENCE_ZONES ?? 400);

test(`the evidence of ${ZONES} random zones verifies to the same findings, and none that was changed verifies`, async () => {
  const signer = testSigner();
  for (let seed = 0; seed < ZONES; seed += 1) await expectSame(seed, signer);
}, 900_000);
