/** One sender of all domains of an organization: where it sends, and what was decided about it there. */
import type { SenderStatus } from '../enforcement/shapes.ts';
import type { Clock } from '../network/ports.ts';
import type { DecisionStore } from '../store/enforcement/decisions.ts';
import { type DomainSums, type DomainSumsStore, summedWindow } from '../store/reports/domain-sums.ts';

type SummedSender = DomainSums['senders'][number];

export interface SenderOfDomain extends Pick<SummedSender, 'messages' | 'passed'> {
  readonly domainId: string;
  readonly domain: string;
}

export interface OrganizationSender
  extends Pick<SummedSender, 'id' | 'name' | 'kind' | 'messages' | 'passed'> {
  /** Those where it sends, most messages that fail first. */
  readonly domains: readonly SenderOfDomain[];
  /** Of the first of them, by the ID of the domain. */
  readonly decided: ReadonlyMap<string, SenderStatus>;
}

/** Reading the decisions of more domains takes too long for a page. */
export const MOST_DECIDED = 50;

interface Stores {
  readonly domainSums: Pick<DomainSumsStore, 'each'>;
  readonly decisions: Pick<DecisionStore, 'list'>;
  readonly clock: Clock;
}

/** Undefined if it sent as none of the domains in the last 30 days. Reads the sums of all domains. */
export async function organizationSender(
  organization: string,
  senderId: string,
  { decisions, ...stores }: Stores,
): Promise<OrganizationSender | undefined> {
  const found = await domainsWith(organization, senderId, stores);
  const [first] = found;
  if (first === undefined) return undefined;
  const decided = await Promise.all(
    found.slice(0, MOST_DECIDED).map(async ({ domainId }) => {
      const status = (await decisions.list(domainId)).get(senderId)?.status ?? null;
      return [domainId, status] as const;
    }),
  );
  const { id, name, kind } = first.sender;
  const sum = (of: 'messages' | 'passed') => found.reduce((total, one) => total + one[of], 0);
  return {
    ...{ id, name, kind, messages: sum('messages'), passed: sum('passed') },
    domains: found.map(({ sender: _, ...one }) => one),
    decided: new Map(decided),
  };
}

/** The domains that a sender sends as, most messages that fail first. */
export async function domainsWith(
  organization: string,
  senderId: string,
  { domainSums, clock }: Omit<Stores, 'decisions'>,
): Promise<readonly (SenderOfDomain & { readonly sender: SummedSender })[]> {
  const now = clock.now();
  const { from } = summedWindow(now);
  const found: (SenderOfDomain & { readonly sender: SummedSender })[] = [];
  for await (const { id: domainId, domain, sums } of domainSums.each(organization, now)) {
    const sender = sums.senders.find(({ id, lastSeen }) => id === senderId && lastSeen >= from);
    if (sender !== undefined)
      found.push({ domainId, domain, messages: sender.messages, passed: sender.passed, sender });
  }
  return found.toSorted((a, b) => b.messages - b.passed - (a.messages - a.passed));
}
