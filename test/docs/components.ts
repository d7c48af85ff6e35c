/** The parts that pages are made from, each with a sample: for docs/design.md and its screenshot. */
import { stackedBars } from '../../shared/pages/charts/bars.ts';
import { line } from '../../shared/pages/charts/line.ts';
import { percent, shares } from '../../shared/pages/charts/shares.ts';
import { sparkline } from '../../shared/pages/charts/sparkline.ts';
import { gradeSection } from '../../shared/pages/check-results/grade.ts';
import { code, day, markLegend, stateMark } from '../../shared/pages/check-results/text.ts';
import { copyButton } from '../../shared/pages/components/actions.ts';
import { findingList } from '../../shared/pages/components/findings.ts';
import { nothingYet } from '../../shared/pages/console/domain/frame.ts';
import { windowForm } from '../../shared/pages/console/domain/window.ts';
import { formState } from '../../shared/pages/console/form-fields.ts';
import { searchForm } from '../../shared/pages/console/search-form.ts';
import { severityTag } from '../../shared/pages/console/severity.ts';
import { document } from '../../shared/pages/document.ts';
import { html, type Markup, timeElement, untrustedText } from '../../shared/pages/markup.ts';
import { workplaceStyle } from '../../shared/pages/style.ts';
import { dmarcRules } from '../../shared/protocol/findings/dmarc.ts';
import { describe, raiser } from '../../shared/protocol/findings/finding.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';

import { computeScore } from '../../shared/score/score.ts';
import { perfectResults } from '../kit/results.ts';

export interface Component {
  readonly name: string;
  /** When to use it. */
  readonly use: string;
  /** The function that makes it and its file in `shared/pages`; undefined if it is made with classes only. */
  readonly by?: readonly [name: string, file: string];
  /** The classes that it is made with. */
  readonly classes?: readonly string[];
  readonly sample: Markup;
}

const at = '2026-11-21T10:31:00.000Z';
const refused = formState('addDomain', {
  ...{ kind: 'refused', says: 'The form has an error.', form: 'addDomain', action: '' },
  ...{ typed: { domain: 'example' }, problems: [{ path: 'domain', message: 'must be a domain' }] },
});

const monitoringOnly = raiser(dmarcRules)('dmarc-monitoring-only', { domain: 'example.org' });

const series = [
  { name: 'Passing', fill: 'good' },
  { name: 'Failing', fill: 'bad' },
] as const;

export const components: readonly Component[] = [
  {
    name: 'Verdict',
    use: 'What the page says first, in one word and a sentence',
    by: ['gradeSection', 'check-results/grade.ts'],
    classes: ['verdict', 'warn', 'bad', 'unknown', 'word'],
    sample: gradeSection(
      { checkedAt: at, score: computeScore(perfectResults('sends-and-receives'), 'sends-and-receives') },
      html`<div class="actions"><button type="button">Check now</button></div>`,
    ),
  },
  {
    name: 'Key figures',
    use: 'Two to four numbers that matter',
    classes: ['facts'],
    sample: html`<dl class="facts"><div><dt>Messages</dt><dd>${formatNumber(12_345)}<small>in 40 reports</small></dd></div><div><dt>Passed DMARC</dt><dd>${percent(98, 100)}<small>247 failed</small></dd></div></dl>`,
  },
  {
    name: 'Findings',
    use: 'What is wrong, most severe first, each with its fix and its source',
    by: ['findingList', 'components/findings.ts'],
    classes: ['findings', 'fix', 'cite'],
    sample: findingList([describe(monitoringOnly, dmarcRules, { domain: 'example.org' })], 2000),
  },
  {
    name: 'Card',
    use: 'One of several things with a heading and an action',
    classes: ['cards', 'card', 'head'],
    sample: html`<ul class="cards"><li class="card"><div class="head"><h3>Newsletter</h3><span class="tag open">no decision</span></div><p>142 messages fail DMARC.</p></li></ul>`,
  },
  {
    name: 'Tag',
    use: 'A state in a word or two',
    by: ['severityTag', 'console/severity.ts'],
    classes: ['tag', 'open', 'pass', 'fail'],
    sample: html`<p>${severityTag('info')} ${severityTag('warning')} ${severityTag('critical')} <span class="tag pass">Approved</span></p>`,
  },
  {
    name: 'State of a check',
    use: 'A sign and a word, so that nothing depends on color alone',
    by: ['stateMark', 'check-results/text.ts'],
    classes: ['state-mark', 'q'],
    sample: html`<p>${stateMark('pass')} ${stateMark('warning')} ${stateMark('fail')} ${stateMark('unknown')}</p><div class="legend">${markLegend}</div>`,
  },
  {
    name: 'Record',
    use: 'Text to copy, exactly as it is',
    by: ['copyButton', 'components/actions.ts'],
    classes: ['record', 'head'],
    sample: html`<div class="head"><h3>Record to publish</h3>${copyButton('sample-record', 'record')}</div><div id="sample-record" class="record">${code('v=DMARC1; p=reject')}</div>`,
  },
  {
    name: 'Buttons',
    use: 'Actions; `data-busy` is what a button says while its form is sent',
    classes: ['actions', 'button', 'small'],
    sample: html`<div class="actions"><button type="button">Save</button><a class="button" href="#">Keep</a><button type="button" class="small">Put off</button></div>`,
  },
  {
    name: 'Form',
    use: 'Fields below each other; after a refusal, it is filled again, with problems at the fields',
    by: ['formState', 'console/form-fields.ts'],
    classes: ['trial', 'problem', 'choice'],
    sample: html`<form class="trial"><label for="domain">Domain</label><input ${refused.attributes('domain')} value="${refused.value('domain')}">${refused.problem('domain')}<button type="button">Add</button></form>`,
  },
  {
    name: 'Filter',
    use: 'Fields of a GET form in a row; the filter is part of the address',
    by: ['windowForm', 'console/domain/window.ts'],
    classes: ['window'],
    sample: windowForm('#', { from: '2026-10-23', to: '2026-11-21' }, '2026-11-21'),
  },
  {
    name: 'Search',
    use: 'The field in the frame of the console',
    by: ['searchForm', 'console/search-form.ts'],
    classes: ['find', 'find-text'],
    sample: searchForm('example.org'),
  },
  {
    name: 'Notice',
    use: 'What a form did, or why it did nothing; `role="alert"` if it did nothing',
    classes: ['notice'],
    sample: html`<div class="notice" role="status"><p>The decision is saved.</p></div>`,
  },
  {
    name: 'Nothing yet',
    use: 'In place of content that does not exist: what is the case, and what to do',
    by: ['nothingYet', 'console/domain/frame.ts'],
    classes: ['empty'],
    sample: nothingYet('No reports yet', 'Receivers send them once a day.'),
  },
  {
    name: 'Table',
    use: 'Rows that are compared; it scrolls by itself, also by keyboard. `words` for text, `domains` for dense rows, with `senders` or `plain-rows` for how they look on a phone; cells with `late` or `mid` are left out of narrow windows',
    classes: ['scroll', 'words', 'domains', 'senders', 'plain-rows', 'late', 'mid'],
    sample: html`<div class="scroll words" tabindex="0" role="region" aria-label="Addresses"><table><thead><tr><th scope="col">Address</th><th scope="col">Messages</th></tr></thead><tbody><tr><th scope="row">${code('192.0.2.1')}</th><td>${formatNumber(1200)}</td></tr></tbody></table></div>`,
  },
  {
    name: 'Lines',
    use: 'What is read from top to bottom: what it is, where, since when, and a button; a line unfolds to more',
    classes: ['tasks', 'where', 'behind'],
    sample: html`<ul class="tasks"><li><details class="behind"><summary>TLS failures</summary><p>12 sessions failed.</p></details><span class="where"><a href="/">example.org</a></span><span>${timeElement(at)}</span><a class="button small" href="/">Reports</a></li></ul>`,
  },
  {
    name: 'Fold',
    use: 'What few readers need',
    classes: ['fold'],
    sample: html`<details class="fold"><summary>The record for the next step</summary></details>`,
  },
  {
    name: 'Bars',
    use: 'Amounts per day by result; each fill has its own pattern, and the figures are a table',
    by: ['stackedBars', 'charts/bars.ts'],
    sample: stackedBars({
      ...{ id: 'sample-bars', title: 'Messages', summary: '120 messages; 80 % passed.', unit: 'Day', series },
      bars: [30, 20, 40].map((passing, n) => ({ label: `${n + 1} Nov 2026`, values: [passing, 10] })),
    }),
  },
  {
    name: 'Shares',
    use: 'Parts of a whole, before and after',
    by: ['shares', 'charts/shares.ts'],
    sample: shares({
      ...{ id: 'sample-shares', title: 'What receivers do', summary: '20 % fail.', unit: 'Records', series },
      rows: [{ label: 'Today', values: [80, 20] }],
    }),
  },
  {
    name: 'Line',
    use: 'A value over time',
    by: ['line', 'charts/line.ts'],
    sample: line({
      ...{ id: 'sample-line', title: 'Score', summary: 'From 60 to 84.', unit: 'From', measure: 'Score' },
      ...{ maximum: 100, steps: true, range: ['1 Nov 2026', 'today'] },
      points: [
        { label: '1 Nov 2026', at: 0, value: 60 },
        { label: '12 Nov 2026', at: 0.5, value: 84 },
      ],
    }),
  },
  {
    name: 'Sparkline',
    use: 'A line of the size of a word',
    by: ['sparkline', 'charts/sparkline.ts'],
    sample: html`<p>${sparkline('Score', [60, 70, 65, 84])}</p>`,
  },
  {
    name: 'Time and day',
    use: 'UTC in the markup; the script shows it in the language and zone of the reader',
    by: ['timeElement', 'markup.ts'],
    sample: html`<p>${timeElement(at)}, ${day(at)}</p>`,
  },
  {
    name: 'Text of strangers',
    use: 'Names in reports, mails, and DNS: what is not printable ASCII is shown as an escape',
    by: ['untrustedText', 'markup.ts'],
    classes: ['odd'],
    sample: html`<p>${untrustedText('examp\u202ele.org')}</p>`,
  },
];

/** All of them on one page. */
export const designSheet = (): string =>
  document({
    title: 'Parts of pages',
    description: 'The parts that pages are made from',
    styles: workplaceStyle,
    main: html`<article class="of-domain"><h1>Parts of pages</h1>${components.map(
      ({ name, sample }) => html`<section><p class="eyebrow">${name}</p>${sample}</section>`,
    )}</article>`,
  });
