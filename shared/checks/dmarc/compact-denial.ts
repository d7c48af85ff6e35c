/**
 * Whether the policy for names that do not exist (`np`) has an effect. A zone with compact denial of existence (RFC 9824) answers
 * NOERROR for them, so that receivers apply the policy of subdomains that exist.
 */
import type { Dns } from '../../protocol/dns.ts';
import { canonicalName, isLookupName } from '../../protocol/domain-name.ts';
import { dmarcDenialRules } from '../../protocol/findings/dmarc-denial.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { unguessableLabel } from '../unguessable-label.ts';
import type { DmarcResult } from './result.ts';

const raise = raiser(dmarcDenialRules);

const strength = ['none', 'quarantine', 'reject'];

/** A finding if `np` is stricter than what receivers apply instead of it. */
export async function compactDenial(
  domain: string,
  { policy, subdomainPolicy, nonexistentSubdomainPolicy: np, policyDomain }: DmarcResult,
  dns: Dns,
): Promise<readonly Finding[]> {
  const applied = subdomainPolicy ?? policy;
  if (policyDomain !== domain || np === null || applied === null) return [];
  if (strength.indexOf(np) <= strength.indexOf(applied)) return [];
  const name = `${unguessableLabel(dns)}.${domain}`;
  if (!isLookupName(name)) return [];
  const answer = await dns.lookup(name, 'A', { dnssec: true, checkingDisabled: true });
  if (answer.status !== 'absent' || answer.reason !== 'no-data' || answer.aliases.length > 0) return [];
  // Nobody has a random name, so that a record of its own is made for the answer; a wildcard has another owner.
  const isMade = answer.denial?.sets.some((set) => set.type === 'NSEC' && canonicalName(set.name) === name);
  return isMade === true ? [raise('dmarc-np-without-effect', { domain, np, applied })] : [];
}
