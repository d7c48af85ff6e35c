/** The DMARC record to go back to: the one before a step, or the present one with the policy from before. */
import { effectivePolicy, type PublishedDmarc } from '../protocol/dmarc/next-record.ts';
import { type DmarcRecord, type Policy, parseDmarcRecord, policies } from '../protocol/dmarc/record.ts';
import type { ChecksEntry } from '../store/check-runs/history.ts';
import { isShortened } from './policy-history.ts';

/**
 * The record to publish at the domain itself to have the policy `previous` again. That is the one that check runs found
 * before the step, if it sends reports to the same addresses; otherwise the published one with another policy.
 * @param entries The changes that check runs found, newest first.
 */
export function formerRecord(
  published: PublishedDmarc,
  { domain, previous }: { readonly domain: string; readonly previous: Policy },
  entries: readonly ChecksEntry[],
): string | null {
  const present = parsed(published.text);
  if (present === undefined) return null;
  const isOwn = published.policyDomain === null || published.policyDomain === domain;
  if (isOwn) {
    const found = entries
      .flatMap(({ changes }) => changes.filter(({ check }) => check === 'dmarc'))
      .flatMap(({ recordsRemoved }) => (recordsRemoved.length === 1 ? recordsRemoved : []))
      .find((text) => effectivePolicy({ text, policyDomain: domain }, domain) === previous);
    if (found !== undefined && !isShortened(found) && sameAddresses(parsed(found), present)) return found;
  }
  return withPolicy(present, previous, isOwn ? ['v', 'p', 't'] : ['v', 'p', 't', 'psd']);
}

function parsed(text: string | null): DmarcRecord | undefined {
  const result = text === null ? undefined : parseDmarcRecord(text);
  return result?.ok ? result.record : undefined;
}

function sameAddresses(former: DmarcRecord | undefined, present: DmarcRecord): boolean {
  const uris = (record: DmarcRecord) => JSON.stringify([record.rua, record.ruf]);
  return former !== undefined && uris(former) === uris(present);
}

/** No policy of subdomains stays stricter than `previous`. Test mode would weaken it once more. */
function withPolicy({ tags, sp, np }: DmarcRecord, previous: Policy, replaced: readonly string[]): string {
  const isStricter = (policy: Policy | null) =>
    policy !== null && policies.indexOf(policy) > policies.indexOf(previous);
  const lowered = [...(isStricter(sp) ? ['sp'] : []), ...(isStricter(np) ? ['np'] : [])];
  const kept = tags
    .map(({ name, value }) => ({ name: name.toLowerCase(), value }))
    .filter(({ name }) => !replaced.includes(name))
    .map(({ name, value }) => ({ name, value: lowered.includes(name) ? previous : value }));
  return [{ name: 'v', value: 'DMARC1' }, { name: 'p', value: previous }, ...kept]
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
}
