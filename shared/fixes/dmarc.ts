/** Recommended changes of the DMARC record. */
import { mailboxUse } from '../checks/report-mailbox.ts';
import { corrected, isLookalike } from '../protocol/dmarc/lookalike.ts';
import { nextRecord, strongerPolicy } from '../protocol/dmarc/next-record.ts';
import {
  type DmarcRecord,
  isDmarcRecord,
  type Policy,
  parseDmarcRecord,
  policies,
} from '../protocol/dmarc/record.ts';
import { parseReportUris } from '../protocol/dmarc/report-uri.ts';
import { trimFoldingWhiteSpace } from '../protocol/tag-list.ts';
import { type Facts, isWithoutMail, type Proposal, withReplaced } from './facts.ts';

/** One tag as written; text that is not a tag has an empty name. */
interface Tag {
  readonly name: string;
  readonly value: string;
}

/** Values that mean the same as a missing tag (RFC 7489 section 6.3), in tags that RFC 9989 removed. */
const defaultsOfRemovedTags: Readonly<Record<string, string>> = { pct: '100', rf: 'afrf', ri: '86400' };

/** A record in which every tag has an effect: the findings with another tag show whether that one is faulty. */
const PROBE = 'v=DMARC1; p=reject; rua=mailto:a@example.com; ruf=mailto:a@example.com';

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
  if (isWithoutMail(facts)) {
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
  const tidied = enforces ? withoutNeedless(tagsOf(text)) : inOrder(withoutNeedless(tagsOf(text)));
  const after = recordOf(withMailbox(tidied, mailbox));
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
  const { domain, mailbox, usageType, authenticatedMail } = facts;
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
  const sendsNothing = (usageType === 'receives-only' || usageType === 'parked') && !authenticatedMail;
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

function tagsOf(text: string): readonly Tag[] {
  return text
    .split(';')
    .map(trimFoldingWhiteSpace)
    .filter((spec) => spec !== '')
    .map((spec) => {
      const [, name = '', value = spec] =
        /^([A-Za-z][A-Za-z0-9_]*)[ \t\r\n]*=[ \t\r\n]*(.*)$/s.exec(spec) ?? [];
      return { name, value };
    });
}

function recordOf(tags: readonly Tag[]): string {
  return tags.map(({ name, value }) => (name === '' ? value : `${name}=${value}`)).join('; ');
}

const isTag =
  (wanted: string) =>
  ({ name }: Tag): boolean =>
    name.toLowerCase() === wanted;

function withoutNeedless(tags: readonly Tag[]): readonly Tag[] {
  const hasRuf = tags.some(isTag('ruf'));
  return tags
    .filter(({ name, value }) => defaultsOfRemovedTags[name.toLowerCase()] !== value.toLowerCase())
    .filter((tag) => hasRuf || !isTag('fo')(tag))
    .map((tag) =>
      isTag('rua')(tag) || isTag('ruf')(tag)
        ? { ...tag, value: tag.value.replace(/!\d{1,17}[kmgt]?(?=[ \t]*(?:,|$))/gi, '') }
        : tag,
    );
}

/** The version first and the policy second, names in lowercase, and of duplicate tags the first. */
function inOrder(tags: readonly Tag[]): readonly Tag[] {
  const lower = tags.map(({ name, value }) => ({ name: name.toLowerCase(), value }));
  const single = lower.filter(
    ({ name }, index) => name === '' || lower.findIndex((other) => other.name === name) === index,
  );
  const policy = single.find(isTag('p')) ?? { name: 'p', value: 'none' };
  const rest = single.filter((tag) => !isTag('v')(tag) && !isTag('p')(tag));
  return [{ name: 'v', value: 'DMARC1' }, policy, ...rest];
}

/** Adds the mailbox to the `rua` tag unless it is there. */
function withMailbox(tags: readonly Tag[], mailbox: string): readonly Tag[] {
  const own = `mailto:${mailbox}`;
  const rua = tags.find(isTag('rua'));
  if (rua === undefined) return [...tags, { name: 'rua', value: own }];
  const uris = parseReportUris(rua.value).uris.map(({ uri }) => uri);
  if (mailboxUse(uris, mailbox).isNamed) return tags;
  const value = rua.value === '' ? own : `${rua.value},${own}`;
  return tags.map((tag) => (tag === rua ? { ...tag, value } : tag));
}

/** Without addresses of other mailboxes of this service. */
function withoutMistaken(tags: readonly Tag[], mailbox: string): readonly Tag[] {
  return tags.flatMap((tag) => {
    if (!isTag('rua')(tag) && !isTag('ruf')(tag)) return [tag];
    const { mistaken } = mailboxUse(tag.value.split(',').map(trimFoldingWhiteSpace), mailbox);
    const kept = tag.value.split(',').filter((uri) => !mistaken.includes(trimFoldingWhiteSpace(uri)));
    return kept.length === 0 ? [] : [{ ...tag, value: kept.join(',') }];
  });
}

/** Without text that is not a tag, and without tags and addresses that have a finding by themselves. */
function withoutFaulty(tags: readonly Tag[]): readonly Tag[] {
  const needed = withoutNeedless(tags).filter(({ name }) => name !== '');
  return needed.flatMap((tag) => {
    const name = tag.name.toLowerCase();
    if (name === 'v' || name === 'p' || name === 'sp' || name === 'np')
      return isFaulty(tag) && name !== 'p' ? [] : [tag];
    if (name === 'rua' || name === 'ruf') {
      const usable = parseReportUris(tag.value).uris.filter(({ host }) => host !== null);
      return usable.length === 0 ? [] : [{ ...tag, value: usable.map(({ uri }) => uri).join(',') }];
    }
    if (
      name === 'fo' &&
      /^[01ds](?::[01ds])*$/i.test(tag.value) &&
      tag.value.includes('0') &&
      tag.value.includes('1')
    )
      return [{ ...tag, value: '1' }];
    return isFaulty(tag) ? [] : [tag];
  });
}

/** Whether a tag has a finding of its own. `pct`, `t` and weaker subdomain policies are the owner's choice, not faults. */
function isFaulty({ name, value }: Tag): boolean {
  const parsed = parseDmarcRecord(`${PROBE}; ${name.toLowerCase()}=${value}`);
  const chosen = ['dmarc-partial', 'dmarc-testing', 'dmarc-weaker-subdomain-policy', 'dmarc-duplicate-tags'];
  return parsed.ok && parsed.findings.some(({ id }) => !chosen.includes(id));
}

/** The same record with p=reject for the domain and all subdomains. */
function rejecting(text: string, mailbox: string): string {
  const kept = withoutMistaken(withMailbox(withoutFaulty(tagsOf(text)), mailbox), mailbox).filter(
    ({ name }) => !['p', 'sp', 'np', 't', 'pct'].includes(name.toLowerCase()),
  );
  return recordOf(inOrder([...kept, { name: 'p', value: 'reject' }]));
}

/** One record with all report addresses of several. Receivers apply none of them today, so it enforces nothing either. */
function merged(texts: readonly string[], mailbox: string): string {
  const parsed = texts.map(corrected).flatMap((text) => {
    const one = parseDmarcRecord(text);
    return one.ok ? [{ text, rua: one.record.rua }] : [];
  });
  const uris = [
    ...new Set(parsed.flatMap(({ rua }) => rua.filter(({ host }) => host !== null).map(({ uri }) => uri))),
  ];
  const enforcing = ['p', 'sp', 'np', 't', 'pct', 'adkim', 'aspf'];
  const tags = withoutFaulty(tagsOf(parsed[0]?.text ?? '')).filter(
    (tag) => !isTag('rua')(tag) && !enforcing.includes(tag.name.toLowerCase()),
  );
  const rua = uris.length === 0 ? [] : [{ name: 'rua', value: uris.join(',') }];
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
