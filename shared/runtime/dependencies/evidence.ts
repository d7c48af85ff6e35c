/** What evidence needs. */
import type { EvidenceDependencies, SigningDependencies } from '../../operations/evidence/get-evidence.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { kmsSigner } from '../../store/kms-signer.ts';
import { mailOutcomeStore } from '../../store/reports/mail-outcomes.ts';
import { signingKeyStore } from '../../store/signing-keys.ts';
import { config } from '../config/config.ts';
import { readAuthorities } from './check-context.ts';
import { planDependencies } from './fixes.ts';
import { pastEvidence } from './past-evidence.ts';
import { clock, table } from './services.ts';

export const signingDependencies = (): SigningDependencies => ({
  signer: kmsSigner(config().SIGNING_KEY),
  signingKeys: signingKeyStore(table()),
  issuer: config().HOST_URL,
  extraRoots: () => (config().EXTRA_CA_FILE === '' ? [] : [readAuthorities('EXTRA_CA_FILE', config())]),
  clock,
});

export function evidenceDependencies(): EvidenceDependencies {
  const { RETENTION_DAYS: retentionDays } = config();
  return {
    ...signingDependencies(),
    domains: domainStore(table()),
    evidence: pastEvidence(),
    plan: planDependencies(),
    mails: mailOutcomeStore(table(), { retentionDays }),
  };
}
