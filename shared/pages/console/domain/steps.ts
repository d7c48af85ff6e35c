/** The first steps with a domain: three records to publish, which tick themselves, and then waiting for reports. */

import type { FirstStep, FirstSteps } from '../../../views/domain/first-steps.ts';
import { code, mark } from '../../check-results/text.ts';
import { copyButton } from '../../components/actions.ts';
import { html, type Markup, visibleStart } from '../../markup.ts';
import { formTokenField } from '../layout.ts';
import { domainPath, type ShownDomain } from './frame.ts';

/** Of things to do. */
export const marks = {
  done: { sign: '✓', word: 'done', tone: 'pass' },
  open: { sign: '–', word: 'open', tone: 'neutral' },
  failed: { sign: '?', word: 'lookup failed', tone: 'neutral' },
} as const;

/** What DNS shows in one word, which changes when a step is done. */
export const stateOf = ({ steps, isVerified }: Pick<FirstSteps, 'steps' | 'isVerified'>): string =>
  `${isVerified ? 1 : 0}${steps.map(({ seen }) => (seen === true ? 1 : 0)).join('')}`;

const titles: Readonly<Record<FirstStep['id'], { title: string; why: string }>> = {
  ownership: {
    title: 'Show that the domain is yours',
    why: 'Verified domains are checked on a schedule, and changes raise alerts.',
  },
  dmarc: {
    title: 'Ask for DMARC reports',
    why: 'Receivers report once a day who sends mail in the name of the domain.',
  },
  tls: {
    title: 'Ask for TLS reports',
    why: 'Senders report once a day whether their mail to the domain was encrypted.',
  },
};

/** Empty once all is done and reports come. */
export function firstSteps(domain: ShownDomain, shown: FirstSteps): Markup {
  const { steps, isVerified, hasReports } = shown;
  const open = steps.filter((step) => !isDone(step, isVerified));
  if (open.length === 0 && hasReports) return html``;
  if (open.length === 0)
    return html`<section class="empty" aria-labelledby="steps"><h2 id="steps">Waiting for reports</h2>
<p>All records are published, and no report came in the last 30 days. Most receivers send reports once a day, about the day before.</p></section>`;
  return html`<section aria-labelledby="steps" data-steps="${domainPath(domain.id)}/steps" data-state="${stateOf(shown)}"><h2 id="steps">First steps <span class="soft">${steps.length - open.length} of ${steps.length} done</span></h2>
<p class="soft">Publish these TXT records at your DNS provider. Each step is ticked when DNS shows its record; load this page again to look.</p>
<ol class="cards">${steps.map((step) => stepCard(domain, step, isVerified))}</ol>${hasReports ? '' : html`<p class="soft">Then wait for the first report: most receivers send one a day.</p>`}</section>`;
}

const isDone = ({ id, seen }: FirstStep, isVerified: boolean): boolean =>
  id === 'ownership' ? isVerified : seen === true;

function stepCard(domain: ShownDomain, step: FirstStep, isVerified: boolean): Markup {
  const { id, name, record, seen, problem } = step;
  const { title, why } = titles[id];
  if (isDone(step, isVerified))
    return html`<li class="card"><div class="head"><h3>${title}</h3>${mark(marks.done)}</div></li>`;
  const verify =
    id === 'ownership' && domain.canWrite
      ? html`<form method="post" action="${domainPath(domain.id)}/verify">${formTokenField(domain.formToken)}<button class="small" data-busy="Looking up…">Verify</button></form>`
      : '';
  return html`<li class="card"><div class="head"><h3>${title}</h3>${mark(seen === null ? marks.failed : marks.open)}</div>
<p>${why}</p>
${record === null ? '' : html`<p>At ${code(name)}:</p><div class="record" id="step-${id}">${code(record, 4000)}</div>`}
${problem === null ? '' : html`<p class="soft">${visibleStart(problem, 500)}</p>`}
<div class="actions">${record === null ? '' : copyButton(`step-${id}`, 'record')}${verify}</div></li>`;
}
