/** Partial credit for DNSSEC: signatures, and a chain of trust to them. */
import type { DnssecResult } from '../../checks/dnssec/result.ts';
import type { dnssecRules } from '../../protocol/findings/dnssec.ts';
import { type Finding, hasErrors } from '../../protocol/findings/finding.ts';
import { always, type CreditRow, unknown } from './row.ts';

export const dnssec: readonly CreditRow[] = [
  unknown('dnssec', 'DNSSEC could not be evaluated, because DNS lookups failed.'),
  {
    id: 'valid',
    when: ({ dnssec }) => dnssec.enabled && dnssec.valid && dnssec.chainValid,
    fraction: 1,
    reason: 'The zone is signed, and its chain of trust is valid.',
  },
  {
    id: 'sha1',
    when: ({ dnssec }) => dnssec.enabled && dnssec.valid && isOnlySha1(dnssec),
    fraction: 1 / 5,
    reason:
      'The chain of trust uses only SHA-1 algorithms, so resolvers must treat the zone as unsigned (RFC 9905).',
    todo: 'Fix the SHA-1 findings listed in the DNSSEC check.',
  },
  {
    id: 'broken',
    when: ({ dnssec }) => dnssec.state === 'fail' || (dnssec.enabled && !dnssec.valid),
    fraction: 0,
    reason: 'DNSSEC is broken: validating resolvers reject the answers of the zone.',
    todo: 'Fix the errors listed in the DNSSEC check, or remove the DS record until they are fixed.',
  },
  {
    id: 'no-chain',
    when: ({ dnssec }) => dnssec.enabled,
    fraction: 1 / 5,
    reason:
      'The zone is signed, but there is no chain of trust to it, so resolvers cannot validate the signatures.',
    todo: 'Have the DS record of the zone published through your registrar.',
  },
  {
    id: 'absent',
    when: always,
    fraction: 0,
    reason: 'The zone is not signed.',
    todo: 'Sign the zone, and have its DS record published through your registrar.',
  },
];

const sha1Rules: readonly (keyof typeof dnssecRules)[] = ['dnssec-algorithm-sha1', 'dnssec-parent-sha1'];

/** Whether SHA-1 is what is wrong with the zone or above it, and there is no other error. */
export function isOnlySha1({ findings }: DnssecResult): boolean {
  const isSha1 = ({ id }: Finding) => sha1Rules.some((rule) => rule === id);
  return findings.some(isSha1) && !hasErrors(findings.filter((finding) => !isSha1(finding)));
}
