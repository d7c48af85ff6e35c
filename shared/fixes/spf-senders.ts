/** Who sends for a domain, for its SPF record: the service of its mailboxes, and the senders that reports show. */
import { printable } from '../protocol/printable.ts';
import { includeForMailboxes, includeOf, providerOf } from '../protocol/providers.ts';
import { parseRecord } from '../protocol/spf/record.ts';
import type { Facts, ReportedSender } from './facts.ts';

/** Senders that a text names, of those that are approved and of the others. */
const MAX_NAMED = 5;
const MAX_NAME = 80;

/**
 * The terms for what the MX records show: the include that the service of the mailboxes asks for, or the MX hosts. A known
 * service without a known include sends from other hosts than it receives with, so nothing can be said about it.
 */
export function termsOfMailboxes({ usageType, results: { mx } }: Facts): readonly string[] {
  if (usageType !== 'sends-and-receives') return [];
  const hosts = mx.records.map(({ exchange }) => exchange).filter((exchange) => exchange !== '.');
  const terms = hosts.flatMap((host) => {
    const include = includeForMailboxes(host);
    if (include !== undefined) return [`include:${include}`];
    return providerOf(host, 'mx') === undefined ? ['mx'] : [];
  });
  return [...new Set(terms)];
}

/** The terms for approved senders, as far as the stored lookups can prove them, and the senders that they do not cover. */
export async function termsOfSenders(
  senders: readonly ReportedSender[],
  { valuesAt }: Facts,
): Promise<{ readonly terms: readonly string[]; readonly missing: readonly ReportedSender[] }> {
  const approved = senders.filter(({ status }) => status === 'approved');
  const found = await Promise.all(
    approved.map(async (sender) => {
      const { term, target } = termOf(sender);
      const isProvable = target === undefined || (await valuesAt(target, 'TXT')) !== undefined;
      return { sender, term: isProvable ? term : undefined };
    }),
  );
  return {
    terms: found.flatMap(({ term }) => term ?? []),
    missing: found.flatMap(({ sender, term }) => (term === undefined ? [sender] : [])),
  };
}

function termOf({ name, kind }: ReportedSender): { readonly term?: string; readonly target?: string } {
  if (kind === 'network')
    return name.includes('/') ? { term: `${name.includes(':') ? 'ip6' : 'ip4'}:${name}` } : {};
  const target = kind === 'provider' ? includeOf(name) : undefined;
  return target === undefined ? {} : { term: `include:${target}`, target };
}

/** A sentence that names the senders, those with most messages first; empty if it is not known whether there are any. */
export function naming(senders: readonly ReportedSender[] | undefined): string {
  if (senders === undefined) return '';
  const approved = senders.filter(({ status }) => status === 'approved');
  const undecided = senders.filter(({ status }) => status === null);
  const parts = [
    ...(approved.length === 0 ? [] : [`from ${listed(approved)}, which you approved`]),
    ...(undecided.length === 0 ? [] : [`from ${listed(undecided)}, without a decision of yours`]),
  ];
  if (parts.length === 0) return 'Reports of the last 30 days show no sender.';
  return `Reports of the last 30 days show mail ${parts.join(', and ')}.`;
}

/** The names of senders and services, as text of strangers. */
export function listed(senders: readonly Pick<ReportedSender, 'name'>[]): string {
  const names = senders.slice(0, MAX_NAMED).map(({ name }) => printable(name, MAX_NAME));
  const more = senders.length - names.length;
  const all = more === 0 ? names : [...names, `${more} more`];
  return all.length === 1 ? all.join() : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** A sentence about whom a record authorizes beside the owner: other customers of the services that it includes. */
export function sharing(record: string): string {
  const { terms } = parseRecord(record);
  const providers = terms.flatMap((term) =>
    term.kind === 'include' ? (providerOf(term.domain.text) ?? []) : [],
  );
  const names = [...new Set(providers)].map((name) => ({ name }));
  return names.length === 0
    ? ''
    : `It also authorizes mail of other customers of ${listed(names)} that has this domain in MAIL FROM.`;
}
