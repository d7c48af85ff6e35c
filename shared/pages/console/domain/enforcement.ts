/** The way of a domain to p=reject: its stage, what the next step would do, and simulations of records of one's own. */

import type {
  Dispositions,
  Enforcement,
  EnforcementRule,
  SimulationSummary,
  Stage,
} from '../../../enforcement/shapes.ts';
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import type { EnforcementView, Trial } from '../../../views/domain/enforcement.ts';
import { percent, shares } from '../../charts/shares.ts';
import { code, day } from '../../check-results/text.ts';
import { copyButton } from '../../components/actions.ts';
import { html, type Markup, timeElement, visibleStart } from '../../markup.ts';
import { first } from '../../room.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain, senderPath } from './frame.ts';
import { changeNotice, senderTable, undoneNotice } from './sender-table.ts';

const stages: readonly { readonly stage: Stage; readonly name: string; readonly meaning: string }[] = [
  { stage: 'no-record', name: 'No record', meaning: 'Nobody reports, and receivers decide alone.' },
  { stage: 'monitoring', name: 'p=none', meaning: 'Receivers report, and deliver as usual.' },
  { stage: 'quarantine', name: 'p=quarantine', meaning: 'Mail that fails goes to the spam folder.' },
  { stage: 'reject', name: 'p=reject', meaning: 'Mail that fails is rejected.' },
];

export function enforcementPage(domain: ShownDomain, view: EnforcementView, room: number): Markup {
  const { assessment, calculatedAt, isRecordKnown, trial } = view;
  return domainFrame(
    domain,
    'enforcement',
    html`${trial === undefined ? '' : trialResult(trial, room / 4)}
${isRecordKnown ? html`${verdict(assessment, calculatedAt)}${nextStep(assessment)}` : unknownRecord(domain)}
${countedReports(assessment)}
${rules(assessment)}
${undecidedSection(domain, view, room / 4)}
${blockers(domain, assessment, room / 4)}
${lastStep(assessment)}
${trialForm(domain, trial)}`,
  );
}

/** Without a record to publish: it could replace a better one. */
function unknownRecord({ id }: ShownDomain): Markup {
  return nothingYet(
    'The DMARC record is not known',
    html`Its lookup failed, or the domain has not been checked yet, so there is no next step to recommend. <a href="${domainPath(id)}">Go to the overview</a> to run the checks. If lookups keep failing, check the name servers of the domain.`,
  );
}

function verdict(assessment: Enforcement, calculatedAt: string): Markup {
  const { stage, ready, thin, nextRecord } = assessment;
  const isLast = nextRecord === null;
  const word = isLast
    ? 'The domain is protected: receivers reject mail that fails DMARC'
    : ready
      ? 'Ready for the next step'
      : earliest(assessment);
  return html`<section aria-labelledby="stage"><h2 id="stage">Stage</h2>
<ol class="stages">${stages.map(
    ({ stage: one, name, meaning }) =>
      html`<li${one === stage ? html` aria-current="step"` : ''}><strong>${name}</strong> <span class="soft">${meaning}</span></li>`,
  )}</ol>
<div class="verdict ${isLast || ready ? '' : 'warn'}"><p class="word"><span class="sign" aria-hidden="true">${isLast || ready ? '✓' : '!'}</span>${word}</p>
${thin ? html`<p>You attested what reports do not show, because the domain sends little mail.</p>` : ''}
<p class="soft">Calculated ${timeElement(calculatedAt)}. Figures here are at most an hour old.</p></div></section>`;
}

/** When the next step can be taken at the earliest, and what has to happen until then, in a sentence. */
function earliest({ rule, nextRecord }: Enforcement): string {
  const open = rule.filter(({ holds, advisory }) => !holds && !advisory);
  const missing = (id: EnforcementRule['id']) =>
    open
      .filter((one) => one.id === id)
      .flatMap(({ measures }) => measures)
      .reduce((most, { atLeast, actual }) => Math.max(most, (atLeast ?? 0) - (actual ?? 0)), 0);
  const days = Math.max(missing('policy-days'), missing('report-days'));
  const decisions = open.find(({ id }) => id === 'undecided-senders')?.measures[0]?.actual ?? 0;
  const others = open.filter(({ id }) => !['policy-days', 'report-days', 'undecided-senders'].includes(id));
  const step = /\bp=(\w+)/.exec(nextRecord ?? '')?.[1] ?? 'the next step';
  const after = [
    ...(decisions > 0 ? [pluralize(decisions, 'decision')] : []),
    ...(others.length > 0
      ? [pluralize(others.length, decisions > 0 ? 'further requirement' : 'requirement')]
      : []),
  ];
  const when = days > 0 ? ` in ${pluralize(days, 'day')} at the earliest` : '';
  return `You can go to ${step}${when}${after.length > 0 ? `${when === '' ? '' : ','} after ${after.join(' and ')}` : ''}`;
}

function nextStep({ nextRecord, simulation, ready }: Enforcement): Markup {
  if (nextRecord === null) return html``;
  return html`<section aria-labelledby="next"><h2 id="next">The next step</h2>
${simulation === null ? html`<p>There are no reports of the last 30 days, so nothing can be simulated yet.</p>` : html`${simulationChart('next-step', 'What receivers are asked to do', simulation)}<p>${effect(simulation)}</p>`}
${ready ? readyRecord(nextRecord) : laterRecord(nextRecord)}</section>`;
}

const readyRecord = (record: string): Markup =>
  html`<div class="head"><h3>Record to publish</h3>${copyButton('next-record', 'record')}</div>
<div id="next-record" class="record">${code(record, 2000)}</div>`;

/** Not to be copied: published today, it could cost mail. */
const laterRecord = (record: string): Markup =>
  html`<details class="fold"><summary>The record for the next step: do not publish it yet</summary>
<p class="soft">Once all requirements are met, this page offers it for copying.</p>
<div class="record">${code(record, 2000)}</div></details>`;

const outcomes = [
  { name: 'Passes DMARC', fill: 'good' },
  { name: 'Fails, delivered as usual', fill: 'dots' },
  { name: 'Quarantined', fill: 'warn' },
  { name: 'Rejected', fill: 'bad' },
] as const;

/** What the current and the next records ask receivers to do with some messages, and what these report. */
export function simulationChart(
  id: string,
  title: string,
  {
    passing,
    current,
    proposed,
    observed,
    messages,
  }: Pick<SimulationSummary, 'passing' | 'current' | 'proposed' | 'observed' | 'messages'>,
): Markup {
  const parts = ({ none, quarantine, reject }: Dispositions, passed: number) => [
    Math.min(passed, none),
    Math.max(0, none - passed),
    quarantine,
    reject,
  ];
  const lost = (of: Dispositions) => percent(of.quarantine + of.reject, messages);
  return shares({
    id,
    title,
    summary: `Of ${pluralize(messages, 'message')}: quarantined or rejected today ${lost(current)}, after the change ${lost(proposed)}.`,
    unit: 'Records',
    series: outcomes,
    rows: [
      { label: 'With the records of today', values: parts(current, passing.current) },
      { label: 'With the new records', values: parts(proposed, passing.proposed) },
      { label: 'What receivers reported they did', values: parts(observed, passing.current) },
    ],
  });
}

/** What changes if as many messages as before are not delivered as usual. @param rejected How many more are rejected. */
function sameNumber(rejected: number, messages: number): string {
  if (rejected === 0) return `No message of ${formatNumber(messages)} would be treated differently.`;
  const moved = Math.abs(rejected);
  const some = `${pluralize(moved, 'message')} of ${formatNumber(messages)} that`;
  return rejected > 0
    ? `${some} ${moved === 1 ? 'goes' : 'go'} to the spam folder today would be rejected.`
    : `${some} ${moved === 1 ? 'is' : 'are'} rejected today would go to the spam folder.`;
}

/** The change in one sentence, and what it rests on. */
function effect({ messages, current, proposed, approved, unpredictable }: SimulationSummary): string {
  const more = proposed.quarantine + proposed.reject - current.quarantine - current.reject;
  const lost = approved.lost.proposed;
  return [
    more === 0
      ? sameNumber(proposed.reject - current.reject, messages)
      : `Receivers would be asked to quarantine or reject ${formatNumber(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} of ${pluralize(messages, 'message')}.`,
    approved.messages === 0
      ? 'You approved no sender yet, so nobody knows which of them matter.'
      : `${pluralize(lost, 'message')} of your approved senders would be among the lost ones (${percent(lost, approved.messages)}).`,
    unpredictable > 0 ? `${pluralize(unpredictable, 'message')} cannot be predicted.` : '',
    'Receivers may do less than they are asked to.',
  ].join(' ');
}

/** What a rule is about, where its name does not say it. */
const explained: Readonly<Record<string, string>> = {
  'Seasonal senders': 'Senders that send less often than every 30 days, such as yearly invoices.',
};

/** What to do about a requirement that is not met; the others need nothing but time. */
const todos: Readonly<Partial<Record<EnforcementRule['id'], string>>> = {
  'report-days': 'Wait; check that the record asks for reports.',
  reporters: 'Wait for reports of more receivers.',
  'approved-messages': 'Approve the senders that may send as this domain.',
  'approved-pass': 'Set up the senders whose mail fails.',
  'approved-dkim': 'Let the senders sign with DKIM in the name of this domain.',
  'undecided-senders': 'Decide about these senders.',
  'seasonal-senders': 'Wait until they send again, or attest through the API.',
  'forwarding-loss': 'Let the senders sign with DKIM, or accept the loss through the API.',
  'published-records': 'Fix these records.',
  'record-known': 'Run the checks again.',
  'policy-days': 'Wait, and keep the record as it is.',
};

/** Those that are not met come first, and those that are met are folded. */
function rules({ rule }: Enforcement): Markup {
  if (rule.length === 0) return html``;
  const required = rule.filter(({ advisory }) => !advisory);
  const open = [
    ...required.filter(({ holds, measured }) => measured && !holds),
    ...required.filter(({ measured }) => !measured),
  ];
  const met = required.filter(({ holds, measured }) => measured && holds);
  const informing = rule.filter(({ advisory }) => advisory);
  return html`<section aria-labelledby="rules"><h2 id="rules">Requirements</h2>
${open.length === 0 ? html`<p>All ${required.length} are met.</p>` : ruleTable('Not met', open)}
${met.length === 0 ? '' : html`<details class="fold"><summary>${met.length} met</summary>${ruleTable('Met', met)}</details>`}
${informing.length === 0 ? '' : html`<h3>For information</h3>${ruleTable('For information', informing)}`}</section>`;
}

function ruleTable(caption: string, rule: readonly EnforcementRule[]): Markup {
  return html`<div class="scroll" role="region" aria-label="Requirements: ${caption}" tabindex="0"><table class="words"><caption class="hush">Requirements: ${caption}</caption><thead><tr><th scope="col">Requirement</th><th scope="col">Now</th><th scope="col">Needed</th><th scope="col">What to do</th></tr></thead><tbody>${rule.map(ruleRow)}</tbody></table></div>`;
}

/** A tick needs data: without any, nothing is known. What is for information is neither met nor not met. */
function ruleRow({ id, name, required, actual, holds, measured, advisory }: EnforcementRule): Markup {
  const [tone, sign, word] = !measured
    ? ['neutral', '–', 'has no data yet']
    : advisory
      ? ['neutral', '–', 'is for information']
      : holds
        ? ['pass', '✓', 'is met']
        : ['softfail', '!', 'is not met'];
  const todo = measured && !holds && !advisory ? (todos[id] ?? '') : '';
  return html`<tr class="${tone}"><th scope="row"><span class="q" aria-hidden="true">${sign}</span> ${name} <span class="hush">${word}</span>${explained[name] === undefined ? '' : html`<br><span class="soft">${explained[name]}</span>`}</th>
<td>${measured ? visibleStart(actual, 200) : html`– <span class="hush">No data yet</span>`}</td><td>${required}</td><td>${todo}</td></tr>`;
}

/** Forged reports must not make a domain look ready. */
function countedReports({ reports: { authenticated, unauthenticated } }: Enforcement): Markup {
  if (authenticated + unauthenticated === 0) return html``;
  return html`<p>${pluralize(authenticated, 'report')} of the last 30 days ${authenticated === 1 ? 'counts' : 'count'}. ${unauthenticated === 0 ? '' : html`<strong>${pluralize(unauthenticated, 'report')} could not be authenticated</strong> and ${unauthenticated === 1 ? 'does' : 'do'} not count, because anybody can send a forged report.`}</p>`;
}

/** Decisions are made where they are missing. */
function undecidedSection(
  domain: ShownDomain,
  { undecided, undecidedTotal, decided, rows }: EnforcementView,
  room: number,
): Markup {
  const place = { on: 'enforcement' } as const;
  const notices = html`${changeNotice(domain, rows, decided, place)}${undoneNotice(domain, undecided, place)}`;
  if (undecided.length === 0) return notices;
  const all = domainPath(domain.id, 'dmarc');
  return html`<section class="full" aria-labelledby="undecided"><h2 id="undecided">Senders without your decision</h2>
${notices}
<p class="soft">Approve those that may send as this domain. Decisions change no record.</p>
${senderTable(domain, [{ name: 'Most messages that fail first', senders: undecided }], rows, place, room)}
<p><a href="${all}">${undecidedTotal > undecided.length ? `All ${undecidedTotal} without your decision` : 'All senders'}</a></p></section>`;
}

function blockers(domain: ShownDomain, { blockers: found }: Enforcement, room: number): Markup {
  if (found.length === 0) return html``;
  return html`<section aria-labelledby="blockers"><h2 id="blockers">On the way to p=reject</h2>
<ul class="findings">${first(
    found,
    room,
    ({ senderId, name, messages, reason, fix }) =>
      html`<li class="warning"><p><strong>${senderId === null ? visibleStart(name, 120) : html`<a href="${senderPath(domain.id, senderId)}">${visibleStart(name, 120)}</a>`}</strong> <span class="soft">${pluralize(messages, 'message')}</span></p><p>${visibleStart(reason, 300)}</p><p class="fix">${visibleStart(fix, 300)}</p></li>`,
  )}</ul>
</section>`;
}

function lastStep({ lastStep: step }: Enforcement): Markup {
  if (step === null) return html``;
  const share = (value: number | null) => (value === null ? 'unknown' : `${value} %`);
  return html`<section aria-labelledby="last-step"><h2 id="last-step">The step before</h2>
<p>The policy became ${step.policy} on ${day(step.at)}. Approved mail expected to be lost: ${share(step.predictedLostShare)}; reported as lost since then: ${share(step.actualLostShare)}.</p></section>`;
}

function trialForm({ id }: ShownDomain, trial: Trial | undefined): Markup {
  const problems = trial !== undefined && 'problems' in trial.result ? trial.result.problems : [];
  const field = (name: 'dmarc' | 'spf', label: string, placeholder: string) => {
    const found = problems.filter(({ record }) => record === name);
    return html`<label for="try-${name}">${label}</label>
<textarea id="try-${name}" name="${name}" rows="2" maxlength="4000" spellcheck="false" placeholder="${placeholder}"${found.length === 0 ? '' : html` aria-invalid="true" aria-describedby="problem-${name}"`}>${trial?.[name] ?? ''}</textarea>
${found.length === 0 ? '' : html`<p id="problem-${name}" class="problem">${found.map(({ message }) => html`${visibleStart(message, 400)} `)}</p>`}`;
  };
  return html`<section aria-labelledby="try"><h2 id="try">Try a record of your own</h2>
<p class="soft">Replays the reports of the last 30 days with your records. Nothing is published. Leave a field empty to keep its record.</p>
<form class="trial" method="get" action="${domainPath(id, 'enforcement')}">
${field('dmarc', 'DMARC record', 'v=DMARC1; p=quarantine')}
${field('spf', 'SPF record', 'v=spf1 mx ~all')}
<button data-busy="Simulating…" aria-describedby="simulation-takes">Simulate</button>
<p class="soft" id="simulation-takes">Takes a few seconds if the domain has much mail. This page stays until the result is there.</p></form></section>`;
}

function trialResult({ result }: Trial, room: number): Markup {
  if ('problems' in result)
    return html`<section class="notice" role="alert"><p>The records cannot be simulated. <a href="#try">See what is wrong</a>.</p></section>`;
  const { simulation } = result;
  const changing = simulation.senders.filter(({ reasons }) => reasons.length > 0);
  return html`<section aria-labelledby="trial"><h2 id="trial">Your records, simulated</h2>
<div class="record">${simulation.proposed.dmarc === null ? '' : html`<p>${code(simulation.proposed.dmarc, 2000)}</p>`}${simulation.proposed.spf === null ? '' : html`<p>${code(simulation.proposed.spf, 2000)}</p>`}</div>
${simulationChart('trial-chart', 'What receivers would be asked to do', simulation.summary)}
<p>${effect(simulation.summary)}</p>
${changing.length === 0 ? '' : html`<h3>Senders with another result</h3><ul class="portions">${first(changing, room, (sender) => html`<li><span>${visibleStart(sender.name, 120)}</span><span class="n">${formatNumber(sender.passing.current)} → ${formatNumber(sender.passing.proposed)} of ${formatNumber(sender.messages)} pass</span></li>`)}</ul>`}
<p class="soft">Based on ${pluralize(simulation.basis.reports, 'report')} of ${pluralize(simulation.basis.reporters, 'reporter')} on ${pluralize(simulation.basis.days, 'day')}.</p></section>`;
}
