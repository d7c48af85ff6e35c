/** Tools about the domains of an organization. */
import * as z from 'zod/mini';
import { showAttention } from '../api/attention.ts';
import { missing } from '../api/common.ts';
import { readTypedName } from '../api/domain-names.ts';
import { simulationBody } from '../api/enforcement.ts';
import { period } from '../api/report-queries.ts';
import { showChecks } from '../api/show-checks.ts';
import { differenceOf } from '../checks/preview/difference.ts';
import { assessEnforcement } from '../enforcement/assess.ts';
import { sendersOf } from '../enforcement/senders.ts';
import { type PreviewDependencies, previewChecks } from '../operations/checks/preview-checks.ts';
import { simulateRecords } from '../operations/enforcement/simulate-records.ts';
import type { AssessDependencies } from '../operations/enforcement/update-enforcement.ts';
import { daysOf } from '../operations/reports/days.ts';
import { parseDomainName } from '../protocol/domain-name.ts';
import { described } from '../protocol/schema.ts';
import { computeScore } from '../score/score.ts';
import type { AttentionStore } from '../store/attention.ts';
import type { Domain, DomainStore } from '../store/domains/domains.ts';
import { findingAudienceOf, publishedReportAddress } from '../store/domains/report-address.ts';
import { granted, type Tool, type ToolCaller, ToolRefusal, tool } from './tool.ts';

export interface DomainToolDependencies extends AssessDependencies, PreviewDependencies {
  readonly domains: Pick<DomainStore, 'get' | 'named'>;
  readonly attention: Pick<AttentionStore, 'list'>;
  readonly hostUrl: string;
}

/** The senders and items of attention that an answer has: a model reads all of it. */
const MOST_ROWS = 50;

const domain = described(
  z.string().check(z.maxLength(1000)),
  'A domain that your organization registered',
  'example.org',
);

/** @throws ToolRefusal if the organization has no such domain. */
async function domainOf(
  { organization }: ToolCaller,
  typed: string,
  { domains }: DomainToolDependencies,
): Promise<Domain> {
  const name = readTypedName(typed, parseDomainName);
  if (!name.ok) throw new ToolRefusal(`domain ${name.problem}`);
  const found = await domains.named(organization, name.name);
  if (found === undefined) throw new ToolRefusal(missing.domain);
  return found;
}

export const domainTools: readonly Tool<DomainToolDependencies>[] = [
  tool({
    name: 'list_senders',
    title: 'List senders',
    description:
      'Lists who sends as a domain, as DMARC reports show it, with the decisions of its owner; most messages first, by default of the last 30 days.',
    input: z.object({ domain, ...period }),
    async run(caller, { domain: name, ...asked }, deps: DomainToolDependencies) {
      const { id, domain } = await domainOf(caller, name, deps);
      const now = deps.clock.now();
      const days = granted(daysOf(asked, now));
      const senders = await sendersOf(
        domain,
        deps.summaries.eachDay(id, days, now),
        await deps.decisions.list(id),
      );
      return { days, total: senders.length, senders: senders.slice(0, MOST_ROWS) };
    },
  }),
  tool({
    name: 'simulate_records',
    title: 'Simulate records',
    description:
      'Replays a proposed DMARC or SPF record, as text, against the messages that reports show: how many would pass, be quarantined or be rejected, and which approved senders would lose mail. Figures are upper bounds.',
    input: z.object({ domain, ...simulationBody.shape }),
    async run(caller, { domain: name, ...proposed }, deps: DomainToolDependencies) {
      const { id } = await domainOf(caller, name, deps);
      return granted(await simulateRecords(caller, { id, ...proposed }, deps)).value;
    },
  }),
  tool({
    name: 'preview_records',
    title: 'Preview records',
    description:
      'Checks a domain as if the records in a zone file were published: the score, and the findings that the change resolves and introduces. Takes up to 20 seconds.',
    input: z.object({
      domain,
      zone: described(
        z.string().check(z.maxLength(200_000)),
        'A zone file. Each record set in it replaces the published one; a line `;remove <name> <type>` removes one',
        '_dmarc 3600 IN TXT "v=DMARC1; p=none"',
      ),
    }),
    async run(caller, { domain: name, zone }, deps: DomainToolDependencies) {
      const { id } = await domainOf(caller, name, deps);
      const { domain, before, after, checkedAt } = granted(
        await previewChecks(caller, { id, zone }, deps),
      ).value;
      return {
        checkedAt,
        score: computeScore(after, domain.usageType),
        scoreBefore: computeScore(before, domain.usageType).score,
        ...differenceOf(before, after),
        results: showChecks(after, findingAudienceOf(domain, deps.reportsDomain)),
      };
    },
  }),
  tool({
    name: 'get_readiness',
    title: 'Get readiness for enforcement',
    description:
      'Says whether a domain is ready for the next step of DMARC enforcement (p=quarantine or p=reject), what blocks it, and the record to publish.',
    input: z.object({ domain }),
    async run(caller, { domain: name }, deps: DomainToolDependencies) {
      const domain = await domainOf(caller, name, deps);
      const mailbox = publishedReportAddress(domain, deps.reportsDomain);
      return assessEnforcement({ ...domain, mailbox }, deps);
    },
  }),
  tool({
    name: 'list_attention',
    title: 'List what needs attention',
    description:
      'Lists what needs a person now in the organization, worst first: its domains, mailboxes and channels.',
    input: z.object({}),
    async run({ organization }, _input, { attention, clock, hostUrl }: DomainToolDependencies) {
      const now = clock.now();
      const { items, hasMore } = await attention.list(
        organization,
        { putOff: false },
        { page: 1, limit: MOST_ROWS },
        now,
      );
      return { items: items.map((item) => showAttention(item, hostUrl, now)), hasMore };
    },
  }),
];
