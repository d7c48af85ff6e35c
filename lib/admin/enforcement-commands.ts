/** The operator commands that help to decide about enforcement, for people and for CI jobs. */
import { assessEnforcement } from '../../shared/enforcement/assess.ts';
import { WINDOW_DAYS } from '../../shared/enforcement/policy-history.ts';
import { percentage, sendersOf } from '../../shared/enforcement/senders.ts';
import type { Dispositions, Enforcement, Simulation } from '../../shared/enforcement/shapes.ts';
import * as simulateRecords from '../../shared/operations/enforcement/simulate-records.ts';
import * as updateSender from '../../shared/operations/enforcement/update-sender.ts';
import { recentDays } from '../../shared/operations/reports/days.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { dayAt } from '../../shared/protocol/time.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { publishedReportAddress } from '../../shared/store/domains/report-address.ts';
import { UsageError } from '../terminal/command-line.ts';
import { jsonLines } from '../terminal/text.ts';
import { asJson, type Commands, onDomain } from './command.ts';
import { domainNamed } from './domain-named.ts';
import { inputFor, perform } from './perform.ts';

/** The exit codes of `simulate` for CI jobs, beside those for failures (1) and wrong usage (2). */
const APPROVED_MAIL_LOST = 3;
const TOO_UNPREDICTABLE = 4;

/** Senders that are printed. */
const MAX_LISTED = 10;

export const enforcementCommands: Commands = {
  enforcement: {
    args: '<domain>',
    says: 'show whether the domain is ready for the next step of DMARC, and what blocks it',
    example: 'enforcement example.org',
    options: { ...onDomain, ...asJson },
    async run([name]: [string], options, deps) {
      const domain = await domainNamed(name, options.org, deps);
      const mailbox = publishedReportAddress(domain, deps.setting('REPORTS_DOMAIN'));
      const result = await assessEnforcement({ ...domain, mailbox }, deps.enforcement());
      return options.json ? jsonLines(result) : describeEnforcement(domain.domain, result);
    },
  },

  simulate: {
    args: '<domain>',
    says: 'replay proposed records against stored reports; exits with 3 if approved mail would be lost, and with 4 if too much is unpredictable',
    example: 'simulate example.org --dmarc "v=DMARC1; p=reject" --days 14',
    options: {
      '--dmarc <record>': 'the proposed DMARC record',
      '--spf <record>': 'the proposed SPF record',
      '--days <n>': 'how many days of reports',
      '--max-unpredictable <percent>': 'the share of mail that may be unpredictable (default: 100)',
      ...onDomain,
      ...asJson,
    },
    async run([name]: [string], options, deps) {
      const { dmarc, spf } = options;
      const domain = await domainNamed(name, options.org, deps);
      const limit = numberFrom('--max-unpredictable', options.maxUnpredictable, { from: 0, to: 100 }) ?? 100;
      const length = numberFrom('--days', options.days, { from: 1, to: 366 }) ?? WINDOW_DAYS;
      const endDate = dayAt(deps.clock.now());
      const startDate = daysBefore(endDate, length - 1);
      const proposed = inputFor(simulateRecords.operation.input, { dmarc, spf, startDate, endDate });
      const simulation = await perform(simulateRecords.operation, domain.organization, deps, (caller) =>
        simulateRecords.simulateRecords(caller, { id: domain.id, ...proposed }, deps.enforcement()),
      );
      deps.setExitCode(codeOf(simulation, limit));
      return options.json ? jsonLines(simulation) : describeSimulation(domain.domain, simulation);
    },
  },

  senders: {
    args: '<domain>',
    says: 'list who sent as the domain in the last 30 days, with your decisions',
    example: 'senders example.org --json',
    options: { ...onDomain, ...asJson },
    async run([name]: [string], options, deps) {
      const { id, domain } = await domainNamed(name, options.org, deps);
      const { summaries, decisions, clock } = deps.enforcement();
      const now = clock.now();
      const days = summaries.eachDay(id, recentDays(now), now);
      const senders = await sendersOf(domain, days, await decisions.list(id));
      if (options.json) return jsonLines(senders);
      return senders.map(
        ({ id: sender, name: shown, status, messages, failedMessages }) =>
          `${sender}  ${shown}: ${pluralize(messages, 'message')}, ${failedMessages} failed; ${status ?? 'no decision'}`,
      );
    },
  },

  sender: {
    args: '<domain> <sender> <status>',
    says: 'decide about a sender, by its ID from "senders": approved, forwarder, unauthorized or none',
    example: 'sender example.org example-com approved',
    options: onDomain,
    async run([name, sender, status]: [string, string, string], { org }, deps) {
      const domain = await domainNamed(name, org, deps);
      const { operation } = updateSender;
      const change = inputFor(operation.input, { status: status === 'none' ? null : status });
      // Fails before anything is stored if nobody says where the queue is that has the domain assessed again.
      (await deps.queues()).urlsOf('summaries');
      const { sender: decided } = await perform(operation, domain.organization, deps, (caller) =>
        updateSender.updateSender(caller, { id: domain.id, senderId: sender, ...change }, deps.enforcement()),
      );
      return [`${domain.domain}: ${decided.name} is ${decided.status ?? 'without a decision'}`];
    },
  },
};

function codeOf({ summary }: Simulation, mostUnpredictable: number): number {
  const { lost } = summary.approved;
  if (lost.proposed > lost.current) return APPROVED_MAIL_LOST;
  const share = percentage(summary.unpredictable, summary.messages) ?? 0;
  return share > mostUnpredictable ? TOO_UNPREDICTABLE : 0;
}

function numberFrom(
  option: string,
  text: string | undefined,
  { from, to }: { from: number; to: number },
): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,3}$/.test(text) && Number(text) >= from && Number(text) <= to) return Number(text);
  throw new UsageError(`${option} must be a number from ${from} to ${to}: ${text}`);
}

function describeEnforcement(domain: string, result: Enforcement): string[] {
  const { stage, ready, thin, rule, nextRecord, blockers } = result;
  const width = Math.max(0, ...rule.map(({ name }) => name.length));
  return [
    `${domain}: ${stages[stage]}`,
    ...(nextRecord === null ? [] : [`next record: ${nextRecord}`]),
    ...(stage === 'reject'
      ? []
      : [`${ready ? 'ready' : 'not ready'}${thin ? ', by what was attested' : ''}`]),
    ...rule.map(
      ({ name, required, actual, holds }) =>
        `  ${holds ? 'yes' : 'NO '}  ${name.padEnd(width)}  ${actual} (required: ${required})`,
    ),
    ...(blockers.length === 0 ? [] : ['blockers of p=reject:']),
    ...blockers
      .slice(0, MAX_LISTED)
      .flatMap(({ name, reason, fix }) => [`  ${name}: ${reason}`, `    ${fix}`]),
    ...(blockers.length > MAX_LISTED ? [`  and ${blockers.length - MAX_LISTED} more (--json)`] : []),
  ];
}

const stages: Readonly<Record<Enforcement['stage'], string>> = {
  'no-record': 'no DMARC policy applies',
  monitoring: 'monitoring (p=none)',
  quarantine: 'quarantine',
  reject: 'reject, the last step',
};

function describeSimulation(domain: string, simulation: Simulation): string[] {
  const { startDate, endDate, summary, senders, basis, unpredictable } = simulation;
  const { messages, approved } = summary;
  if (messages === 0) return [`${domain}: no reports from ${startDate} to ${endDate}`];
  const changed = senders.filter(({ reasons }) => reasons.length > 0);
  const row = (name: string, figures: Dispositions, passing?: number) =>
    `  ${name.padEnd(9)}  ${passing === undefined ? '' : `passing ${passing}, `}none ${figures.none}, quarantine ${figures.quarantine}, reject ${figures.reject}`;
  return [
    `${domain}: ${pluralize(messages, 'message')} in ${pluralize(basis.reports, 'report')} of ${pluralize(basis.reporters, 'reporter')}, ${startDate} to ${endDate}`,
    row('observed', summary.observed),
    row('current', summary.current, summary.passing.current),
    row('proposed', summary.proposed, summary.passing.proposed),
    `approved mail: ${pluralize(approved.messages, 'message')}, lost now ${approved.lost.current}, lost under the proposal ${approved.lost.proposed}`,
    ...(changed.length === 0 ? ['no sender changes'] : ['senders that change:']),
    ...changed
      .slice(0, MAX_LISTED)
      .map(
        ({ name, status, proposed, reasons, messages: all }) =>
          `  ${name} (${status ?? 'no decision'}): of ${pluralize(all, 'message')}, none ${proposed.none}, quarantine ${proposed.quarantine}, reject ${proposed.reject} (${reasons.join(', ')})`,
      ),
    ...(summary.unpredictable === 0
      ? []
      : [
          `unpredictable: ${percentage(summary.unpredictable, messages)} % (${unpredictable.map(({ reason, messages: some }) => `${reason} ${some}`).join(', ')})`,
        ]),
  ];
}
