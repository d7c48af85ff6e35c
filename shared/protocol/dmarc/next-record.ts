/** The policy that receivers apply to a domain, and the record of its next step to p=reject. */
import { oneStepLess } from './discover.ts';
import { type DmarcRecord, type Policy, parseDmarcRecord, policies } from './record.ts';

/** The record that applies to a domain. */
export interface PublishedDmarc {
  /** As published, at the domain itself or at a parent domain; null if there is none. */
  readonly text: string | null;
  /** The domain of the record. */
  readonly policyDomain: string | null;
}

/** The policies that receivers apply to the domain itself; null if they apply none. */
export function effectivePolicy({ text, policyDomain }: PublishedDmarc, domain: string): Policy | null {
  const record = parsed(text);
  if (record?.applied === undefined || record.applied === null) return null;
  const policy = policyDomain === null || policyDomain === domain ? record.applied.p : record.applied.sp;
  return record.t === 'y' ? oneStepLess(policy) : policy;
}

/** Whether `policy` asks receivers for more than the published record does. */
export function strongerPolicy(published: PublishedDmarc, domain: string, policy: Policy): boolean {
  return policies.indexOf(policy) > policies.indexOf(effectivePolicy(published, domain) ?? 'none');
}

/**
 * The record to publish next; null if receivers already reject. It keeps every tag that the step does not concern, and
 * names `mailbox`, if there is one and it would have no valid address for reports. `pct` is dropped, because RFC 9989 ignores it; a record
 * in test mode first takes effect without it.
 */
export function nextRecord(
  published: PublishedDmarc,
  { domain, mailbox, target }: { domain: string; mailbox: string | undefined; target: Policy },
): string | null {
  const policy = effectivePolicy(published, domain);
  if (policy === 'reject') return null;
  const record = policy === null || published.policyDomain !== domain ? undefined : parsed(published.text);
  const rua =
    record?.rua.length || mailbox === undefined ? [] : [{ name: 'rua', value: `mailto:${mailbox}` }];
  const replaced = ['v', 'p', 't', 'pct', ...rua.map(({ name }) => name)];
  const kept = record?.tags.filter(({ name }) => !replaced.includes(name.toLowerCase())) ?? [];
  const tags = [{ name: 'v', value: 'DMARC1' }, { name: 'p', value: target }, ...kept, ...rua];
  return tags.map(({ name, value }) => `${name}=${value}`).join('; ');
}

function parsed(text: string | null): DmarcRecord | undefined {
  const result = text === null ? undefined : parseDmarcRecord(text);
  return result?.ok ? result.record : undefined;
}
