import { bimiEvidenceRules } from '../../../../../shared/protocol/findings/bimi-evidence.ts';
import { markChain } from '../../../../kit/mark-certificates.ts';
import { type BimiInput, inspectBimiOf } from './bimi-world.ts';
import { examplesOf } from './example.ts';

const anotherRoot = markChain().root;
const WEB_SERVER_USAGE = '1.3.6.1.5.5.7.3.1';
const BIMI_USAGE = '1.3.6.1.5.5.7.3.31';

export const bimiEvidenceExamples = examplesOf<BimiInput>('bimi', bimiEvidenceRules, inspectBimiOf, {
  'bimi-evidence-unreadable': [
    { evidence: ({ issuer, root }) => [issuer, root] },
    { evidence: ({ leaf, issuer }) => [issuer, leaf] },
  ],
  'bimi-evidence-chain-broken': [
    { evidence: ({ leaf, root }) => [leaf, root] },
    { evidence: ({ leaf, issuer }) => [leaf, issuer] },
  ],
  'bimi-evidence-not-valid-now': [{ mark: { validTo: '2026-06-01' } }, { mark: { validTo: '2026-06-02' } }],
  'bimi-evidence-expiring': [{ mark: { validTo: '2026-07-01' } }, { mark: { validTo: '2026-07-02' } }],
  'bimi-evidence-distrusted': [
    { mark: { issuedBy: 'Entrust, Inc.', validFrom: '2024-11-16' } },
    { mark: { issuedBy: 'Entrust, Inc.', validFrom: '2024-11-15' } },
  ],
  'bimi-evidence-wrong-usage': [
    { mark: { leafUsage: WEB_SERVER_USAGE } },
    { mark: { leafUsage: BIMI_USAGE } },
  ],
  'bimi-evidence-wrong-domain': [
    { mark: { names: ['www.example.org'] } },
    { mark: { names: ['default._bimi.example.org'] } },
  ],
  'bimi-evidence-no-logo': [{ mark: { withoutLogotype: true } }, { mark: { logo: '<svg/>' } }],
  'bimi-evidence-logo-differs': [{ mark: { logo: '<svg/>' } }, { mark: {} }],
  'bimi-evidence-untrusted': [
    { mark: {}, anchors: [anotherRoot] },
    { mark: {}, anchors: [] },
  ],
  'bimi-evidence-unanchored': [{ anchors: [] }, { anchors: [anotherRoot] }],
  'bimi-evidence-not-verified': [{}, { mark: { validTo: '2026-05-31' } }],
});
