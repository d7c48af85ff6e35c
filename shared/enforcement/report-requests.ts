/** Whether, and for how long, the DMARC record asks for reports at the report mailbox of a domain. */
import type { AskedMailbox } from '../alerts/report-silence.ts';
import { mailboxUse } from '../checks/report-mailbox.ts';
import type { CheckResults } from '../checks/results.ts';
import { parseDmarcRecord } from '../protocol/dmarc/record.ts';
import { isWithin, organizationalDomain } from '../protocol/domain-name.ts';
import { domainOf } from '../protocol/mail-address.ts';
import type { ChecksEntry } from '../store/check-runs/history.ts';
import { isShortened } from './policy-history.ts';
import { isDmarcKnown } from './published-records.ts';

/** Where a domain asks for reports, as the latest check found it. */
export function askedMailbox(domain: string, mailbox: string, results: CheckResults): AskedMailbox {
  const host = domainOf(mailbox);
  const isInside = isWithin(host, organizationalDomain(domain));
  return {
    mailbox,
    isNamed: isDmarcKnown(results) ? mailboxUse(results.dmarc.rua, mailbox).isNamed : null,
    authorizedAt: isInside ? null : `${domain}._report._dmarc.${host}`,
  };
}

/**
 * The time since which check runs have found the mailbox in the record, which the latest one found; null if that is
 * unknown.
 * @param entries The changes that check runs found, newest first; the first of all of them says what was found first.
 * @param keptFrom The first day whose changes are all known; null if changes do not expire.
 */
export function askedSince(
  entries: readonly ChecksEntry[],
  { mailbox, keptFrom }: { readonly mailbox: string; readonly keptFrom: string | null },
): string | null {
  for (const { at, changes } of entries) {
    const change = changes.find(({ check }) => check === 'dmarc');
    if (change === undefined || change.recordsAdded.length + change.recordsRemoved.length === 0) continue;
    const [before, ...others] = change.recordsRemoved;
    if (before === undefined || others.length > 0 || isShortened(before) || !names(before)) return at;
  }
  return keptFrom ?? entries.at(-1)?.at ?? null;

  function names(text: string): boolean {
    const parsed = parseDmarcRecord(text);
    return (
      parsed.ok &&
      mailboxUse(
        parsed.record.rua.map(({ uri }) => uri),
        mailbox,
      ).isNamed
    );
  }
}
