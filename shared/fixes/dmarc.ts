/** Recommended changes of the DMARC record. */
import { corrected, isLookalike } from '../protocol/dmarc/lookalike.ts';
import { nextRecord, strongerPolicy } from '../protocol/dmarc/next-record.ts';
import {
  type DmarcRecord,
  isDmarcRecord,
  type Policy,
  parseDmarcRecord,
  policies,
} from '../protocol/dmarc/record.ts';
import {
  inOrder,
  isTag,
  recordOf,
  tagsOf,
  withMailbox,
  withMergedAddresses,
  withoutFaulty,
  withoutMistaken,
  withoutSizes,
} from './dmarc-tags.ts';
import { type Facts, isWithoutMail, type Proposal, withReplaced } from './facts.ts';

/** Safe changes: a first record that only asks for reports, the own `rua`, and syntax that no receiver depends on. */
export async function safeDmarc(facts: Facts): Promise<readonly Proposal[]> {
  const { domain, mailbox, results } = facts;
  const name = `_dmarc.${domain}`;
  const set = await facts.valuesAt(name, 'TXT');
  if (set === undefined || mailbox === undefined || results.dmarc.state === 'unknown') return [];
  const { values } = set;
  const records = values.filter(isDmarcRecord);
  const lookalikes = values.filter(isLookalike);
  const made = { class: 'safe', name, type: 'TXT' } as const;
  if (records.length === 0 && lookalikes.length === 0) {
    if (results.dmarc.state !== 'absent') return [];
    const policy = isWithoutMail(facts) ? 'reject' : 'none';
    const reason =
      policy === 'none'
        ? 'Requests reports about mail that uses the domain. With p=none, receivers treat no mail differently.'
        : 'The domain is parked and has no MX host, so receivers can reject all mail that uses it.';
    return [{ ...made, after: [...values, `v=DMARC1; p=${policy}; rua=mailto:${mailbox}`], reason }];
  }
  const [published] = [...records, ...lookalikes];
  if (published === undefined || records.length + lookalikes.length > 1) return [];
  if (isWithoutMail(facts) && !isLimited(published)) {
    const reason = 'The domain is parked and has no MX host, so receivers can reject all mail that uses it.';
    const after = withReplaced(values, published, rejecting(corrected(published), mailbox));
    return [{ ...made, after, reason }];
  }
  const text = records.length === 0 ? corrected(published) : published;
  const parsed = parseDmarcRecord(text);
  if (!parsed.ok) return [];
  const { applied } = parsed.record;
  // While some receivers do not read the record, correcting it would make them enforce its policy.
  const enforces = applied !== null && Object.values(applied).some((policy) => policy !== 'none');
  if (enforces && (records.length === 0 || /^[ \t\r\n]/.test(text))) return [];
  const tags = withoutSizes(tagsOf(text));
  const after = recordOf(withMailbox(enforces ? tags : inOrder(withMergedAddresses(tags)), mailbox));
  const reason =
    'Sends reports to the mailbox of the domain too, and corrects syntax without changing the policy.';
  return hasSameMeaning(parsed.record, after)
    ? [{ ...made, after: withReplaced(values, published, after), reason }]
    : [];
}

/**
 * Changes that need a decision. None asks receivers for more than the record does, except at a domain that sends no mail, and
 * at one that is ready for the next policy.
 */
export async function decideDmarc(facts: Facts): Promise<readonly Proposal[]> {
  const { domain, mailbox, usageType, mail } = facts;
  const name = `_dmarc.${domain}`;
  const set = await facts.valuesAt(name, 'TXT');
  if (set === undefined || mailbox === undefined) return [];
  const { values } = set;
  const records = values.filter((value) => isDmarcRecord(value) || isLookalike(value));
  const [first] = records;
  if (first === undefined) return [];
  const others = values.filter((value) => !records.includes(value));
  const made = { class: 'needs-decision', name, type: 'TXT' } as const;
  if (records.length > 1) {
    const reason =
      'Receivers discard all DMARC records of a name that has several, so no policy applies. This one requests the reports that show when a stronger policy is safe.';
    return [{ ...made, after: [...others, merged(records, mailbox)], reason }];
  }
  const sendsNothing = (usageType === 'receives-only' || usageType === 'parked') && !mail.isAuthenticated;
  if (sendsNothing) {
    const reason =
      'A domain that sends no mail has none that p=reject could hurt. Decide whether it really sends none.';
    return [{ ...made, after: withReplaced(values, first, rejecting(corrected(first), mailbox)), reason }];
  }
  const text = isDmarcRecord(first) ? first.trim() : corrected(first);
  const after = recordOf(
    inOrder(withoutMistaken(withMailbox(withoutFaulty(tagsOf(text)), mailbox), mailbox)),
  );
  const [before, proposed] = [first, after].map((one) => parseDmarcRecord(one));
  const was = before?.ok === true ? before.record.applied : null;
  if (proposed?.ok !== true || isStronger(proposed.record.applied, was)) return [];
  const { nextPolicy = null } = facts;
  const step = nextPolicy === null ? null : stepTo(nextPolicy, after, { domain, mailbox });
  if (nextPolicy !== null && step !== null) {
    const reason = `Reports and your decisions about senders meet the rule for p=${nextPolicy}. Receivers that follow the record ${consequences[nextPolicy]} mail that fails DMARC: look at the simulation first.`;
    return [{ ...made, after: withReplaced(values, first, step), reason }];
  }
  const reason =
    'Removes what receivers ignore or may discard the record for. Check that no tag was meant differently.';
  return [{ ...made, after: withReplaced(values, first, after), reason }];
}

const consequences: Readonly<Record<Policy, string>> = {
  none: 'deliver',
  quarantine: 'move to spam',
  reject: 'reject',
};

/** The record with the next policy; null if it is not stronger than that of `text`. */
function stepTo(
  target: Policy,
  text: string,
  { domain, mailbox }: { readonly domain: string; readonly mailbox: string },
): string | null {
  const published = { text, policyDomain: domain };
  if (!strongerPolicy(published, domain, target)) return null;
  return nextRecord(published, { domain, mailbox, target });
}

/** Whether the owner limited what `p` applies to: to the domain itself (sp, np), to a share of its mail (pct), or to a test (t). */
function isLimited(text: string): boolean {
  const parsed = parseDmarcRecord(corrected(text));
  if (!parsed.ok) return true;
  const { sp, np, pct, t } = parsed.record;
  return sp !== null || np !== null || pct < 100 || t === 'y';
}

/** The same record with p=reject; every other tag is the choice of the owner. */
function rejecting(text: string, mailbox: string): string {
  const kept = withoutMistaken(withMailbox(withoutFaulty(tagsOf(text)), mailbox), mailbox);
  return recordOf(inOrder([...kept.filter((tag) => !isTag('p')(tag)), { name: 'p', value: 'reject' }]));
}

/**
 * One record with all report addresses of several. Receivers apply none of them today, so it enforces nothing either. Of the
 * other tags, it has those that do not come into effect with it.
 */
function merged(texts: readonly string[], mailbox: string): string {
  const parsed = texts.map((text) => withoutFaulty(tagsOf(corrected(text))));
  const uris = parsed.flatMap((tags) => tags.filter(isTag('rua')).flatMap(({ value }) => value.split(',')));
  const enforcing = ['p', 'sp', 'np', 'adkim', 'aspf'];
  const tags = parsed
    .flat()
    .filter((tag) => !isTag('rua')(tag) && !enforcing.includes(tag.name.toLowerCase()));
  const rua = uris.length === 0 ? [] : [{ name: 'rua', value: [...new Set(uris)].join() }];
  return recordOf(inOrder(withMailbox([...tags, ...rua], mailbox)));
}

const strength = (policy: Policy): number => policies.indexOf(policy);

function isStronger(proposed: DmarcRecord['applied'], current: DmarcRecord['applied']): boolean {
  return (['p', 'sp', 'np'] as const).some(
    (tag) => strength(proposed?.[tag] ?? 'none') > strength(current?.[tag] ?? 'none'),
  );
}

/** Whether receivers decide the same with both records: policies, alignment, and everything but report addresses. */
function hasSameMeaning(record: DmarcRecord, text: string): boolean {
  const parsed = parseDmarcRecord(text);
  if (!parsed.ok) return false;
  const meaning = ({ applied, adkim, aspf, fo, t, psd, pct, ruf }: DmarcRecord) =>
    JSON.stringify([
      applied ?? { p: 'none', sp: 'none', np: 'none' },
      adkim,
      aspf,
      ruf.length > 0 ? fo : [],
      t,
      psd,
      pct,
    ]);
  return meaning(parsed.record) === meaning(record);
}
