import { createHash, X509Certificate } from 'node:crypto';
import { mxRolloverRules } from '../../../../../shared/protocol/findings/mx-rollover.ts';
import { createIssuer } from '../../../../kit/renewals.ts';
import { examplesOf } from './example.ts';
import { daysFromNow, inspectMxOf, type MxInput, withTls } from './mx-world.ts';

const issuer = createIssuer({ organization: 'Steady CA', intermediates: ['Steady 1'] });

/** A certificate of 90 days that was issued some days ago, and a record of the whole of it, or of its key. */
function shown(days: number, selector: 0 | 1): MxInput {
  const { chain, validFrom, validTo } = issuer.issue(daysFromNow(-days), { days: 90 });
  const leaf = new X509Certificate(chain[0] ?? '');
  const data = selector === 0 ? leaf.raw : leaf.publicKey.export({ type: 'spki', format: 'der' });
  const certificate = createHash('sha256').update(data).digest();
  return {
    says: withTls({}, { chain, validFrom, validTo }),
    tlsa: [{ usage: 3, selector, matchingType: 1, certificate }],
  };
}

export const mxRolloverExamples = examplesOf<MxInput>('mx', mxRolloverRules, inspectMxOf, {
  'mx-tlsa-renewal-breaks': [shown(39, 0), shown(38, 0)],
  'mx-tlsa-renewal-unknown': [shown(39, 1), shown(38, 1)],
});
