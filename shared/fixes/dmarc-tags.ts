/** The tags of a DMARC record as the owner wrote them, and what can be done about each. */
import { mailboxUse } from '../checks/report-mailbox.ts';
import { intendedUri, isReportAddress } from '../protocol/dmarc/intended-uris.ts';
import { parseDmarcRecord } from '../protocol/dmarc/record.ts';
import { parseReportUris } from '../protocol/dmarc/report-uri.ts';
import { trimFoldingWhiteSpace } from '../protocol/tag-list.ts';

/** One tag as written; text that is not a tag has an empty name. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}

/** A record in which every tag has an effect: the findings with another tag show whether that one is faulty. */
const PROBE = 'v=DMARC1; p=reject; rua=mailto:a@example.com; ruf=mailto:a@example.com';

/** The tags of a record as written. */
export function tagsOf(text: string): readonly Tag[] {
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

export function recordOf(tags: readonly Tag[]): string {
  return tags.map(({ name, value }) => (name === '' ? value : `${name}=${value}`)).join('; ');
}

export const isTag =
  (wanted: string) =>
  ({ name }: Tag): boolean =>
    name.toLowerCase() === wanted;

/** Without the obsolete size limits of addresses, which reporters ignore. */
export function withoutSizes(tags: readonly Tag[]): readonly Tag[] {
  return tags.map((tag) =>
    isReportTag(tag) ? { ...tag, value: tag.value.replace(/!\d{1,17}[kmgt]?(?=[ \t]*(?:,|$))/gi, '') } : tag,
  );
}

const isReportTag = (tag: Tag): boolean => isTag('rua')(tag) || isTag('ruf')(tag);

/** With all report addresses in one tag of each name: those of duplicates, and those after a semicolon instead of a comma. */
export function withMergedAddresses(tags: readonly Tag[]): readonly Tag[] {
  const merged: Tag[] = [];
  let latest: string | undefined;
  for (const tag of tags) {
    const isStray = tag.name === '' && latest !== undefined && isReportAddress(tag.value);
    latest = isReportTag(tag) ? tag.name.toLowerCase() : isStray ? latest : undefined;
    const at = merged.findIndex(({ name }) => name.toLowerCase() === latest);
    const known = merged[at];
    if (known === undefined) merged.push(tag);
    else merged[at] = { ...known, value: [known.value, tag.value].filter((uri) => uri !== '').join() };
  }
  return merged;
}

/** The version first and the policy second, names in lowercase, and of duplicate tags the first. */
export function inOrder(tags: readonly Tag[]): readonly Tag[] {
  const lower = tags.map(({ name, value }) => ({ name: name.toLowerCase(), value }));
  const single = lower.filter(
    ({ name }, index) => name === '' || lower.findIndex((other) => other.name === name) === index,
  );
  const policy = single.find(isTag('p')) ?? { name: 'p', value: 'none' };
  const rest = single.filter((tag) => !isTag('v')(tag) && !isTag('p')(tag));
  return [{ name: 'v', value: 'DMARC1' }, policy, ...rest];
}

/** Adds the mailbox to the `rua` tag unless it is there. */
export function withMailbox(tags: readonly Tag[], mailbox: string): readonly Tag[] {
  const own = `mailto:${mailbox}`;
  const rua = tags.find(isTag('rua'));
  if (rua === undefined) return [...tags, { name: 'rua', value: own }];
  const uris = parseReportUris(rua.value).uris.map(({ uri }) => uri);
  if (mailboxUse(uris, mailbox).isNamed) return tags;
  const value = rua.value === '' ? own : `${rua.value},${own}`;
  return tags.map((tag) => (tag === rua ? { ...tag, value } : tag));
}

/** Without addresses of other mailboxes of this service. */
export function withoutMistaken(tags: readonly Tag[], mailbox: string): readonly Tag[] {
  return tags.flatMap((tag) => {
    if (!isReportTag(tag)) return [tag];
    const { mistaken } = mailboxUse(tag.value.split(',').map(trimFoldingWhiteSpace), mailbox);
    const kept = tag.value.split(',').filter((uri) => !mistaken.includes(trimFoldingWhiteSpace(uri)));
    return kept.length === 0 ? [] : [{ ...tag, value: kept.join(',') }];
  });
}

/**
 * Without text that is not a tag, and without tags and addresses that have a finding by themselves. Addresses that reporters do
 * not read as they are written are corrected.
 */
export function withoutFaulty(tags: readonly Tag[]): readonly Tag[] {
  const hasRuf = tags.some(isTag('ruf'));
  return withoutSizes(withMergedAddresses(tags)).flatMap((tag) => {
    const name = tag.name.toLowerCase();
    // Without the tag ruf, fo means nothing.
    if (name === '' || (name === 'fo' && !hasRuf)) return [];
    if (name === 'v' || name === 'p' || name === 'sp' || name === 'np')
      return isFaulty(tag) && name !== 'p' ? [] : [tag];
    if (name === 'rua' || name === 'ruf') {
      const usable = new Set(tag.value.split(',').filter(isReportAddress).map(intendedUri));
      return usable.size === 0 ? [] : [{ ...tag, value: [...usable].join() }];
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
