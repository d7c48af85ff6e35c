/** The page with the forms that register domains, and what became of each domain of a list. */
import { MAX_BATCH } from '../../api/domains.ts';
import { pluralize } from '../../protocol/quantity.ts';
import type { Flash } from '../../store/flashes.ts';
import { usageChoices } from '../check-results/usage.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { domainPath } from './domain/frame.ts';
import { type FormState, formState, inputField, labelled, selectField } from './form-fields.ts';
import { consoleDocument, formTokenField, type Visit } from './layout.ts';

export const ADD_PATH = '/console/add';

const BATCH_TAKES = `Each ${MAX_BATCH} domains take a few seconds. This page stays until they are added.`;

/** As many characters of each name are shown as fit 100 domains on a page. */
const MAX_NAME = 100;

export function addDomainsPage({ formToken, flash }: Visit): string {
  return consoleDocument({
    title: 'Add domains',
    description: 'Add domains to your organization',
    ...{ formToken, flash, current: '/console/domains' },
    main: html`<article class="of-domain"><header><p class="eyebrow"><a href="/console/domains">Domains</a></p><h1>Add domains</h1></header>
${flash?.added === undefined ? '' : outcomes(flash.added, formToken, flash)}
${flash?.added === undefined ? addForm({ formToken, flash }) : ''}
${addManyForm({ formToken, flash })}</article>`,
  });
}

type Added = NonNullable<Flash['added']>;

function outcomes(added: Added, formToken: string, flash: Flash): Markup {
  const refused = added.filter(({ id }) => id === undefined);
  const left = flash.typed.domains?.split('\n').filter((name) => name !== '').length ?? 0;
  return html`<section aria-labelledby="each"><h2 id="each">Each domain</h2><ol class="outcomes">${added.map(
    (one) => html`<li>${outcomeOf(one)}</li>`,
  )}</ol></section>
${left === 0 ? '' : html`<section aria-labelledby="left"><h2 id="left">${pluralize(left, 'domain')} left</h2>${goOnForm(formToken, flash, left)}</section>`}
${refused.length === 0 ? '' : html`<p class="soft">To try those again that were not added, correct them and add them below.</p>`}`;
}

/** A list is added in steps, each of which takes a few seconds. */
function goOnForm(formToken: string, { typed }: Flash, left: number): Markup {
  return html`<form method="post" action="${ADD_PATH}/many" class="actions">${formTokenField(formToken)}${Object.entries(
    typed,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button data-busy="Adding…" aria-describedby="next-takes">${left > MAX_BATCH ? `Add the next ${MAX_BATCH}` : 'Add the rest'}</button><span class="soft" id="next-takes">${BATCH_TAKES}</span></form>`;
}

function outcomeOf({ typed, id, problem = '' }: Added[number]): Markup {
  return id === undefined
    ? html`<strong class="fail">Not added:</strong> ${visibleStart(typed, MAX_NAME)} <span class="soft">${problem}</span>`
    : html`<strong class="pass">Added:</strong> <a href="${domainPath(id)}">${untrustedText(typed)}</a>`;
}

/** The form that adds one domain. */
export function addForm({ formToken, flash }: Visit): Markup {
  const form = formState('addDomain', flash);
  return html`<section aria-labelledby="add"><h2 id="add">Add a domain</h2>
<form class="trial" method="post" action="${ADD_PATH}">${formTokenField(formToken)}
${inputField(form, 'domain', 'Domain', html`type="text" inputmode="url" maxlength="1000" required placeholder="example.org" autocomplete="off" autocapitalize="none" spellcheck="false"`)}
<details class="fold"${form.isSent ? html` open` : ''}><summary>Usage, mailbox, and tags</summary>${commonFields(form)}</details>
<button data-busy="Adding…">Add</button></form></section>`;
}

/** The form that adds many domains. */
function addManyForm({ formToken, flash }: Visit): Markup {
  const form = formState('addDomains', flash);
  const refused = (flash?.added ?? []).filter(({ id }) => id === undefined).map(({ typed }) => typed);
  const domains = flash?.added === undefined ? form.value('domains') : refused.join('\n');
  const list = html`<textarea ${form.attributes('domains')} rows="5" required autocapitalize="none" spellcheck="false">${domains}</textarea>`;
  return html`<section aria-labelledby="add-many"><h2 id="add-many">Add many domains</h2>
<form class="trial" method="post" action="${ADD_PATH}/many">${formTokenField(formToken)}
${labelled(form, 'domains', `Any number of domains, one per line or separated by commas; they are added ${MAX_BATCH} at a time`, list)}
${commonFields(form)}
<button data-busy="Adding…" aria-describedby="adding-takes">Add all</button>
<p class="soft" id="adding-takes">${BATCH_TAKES}</p></form></section>`;
}

/** The fields of domains that are set when they are added. */
export function commonFields(form: FormState): Markup {
  return html`${selectField(form, 'usageType', 'Usage', usageChoices)}
${inputField(form, 'testEmailLocalPart', 'Mailbox that the delivery check uses as a recipient: the part before the @', html`type="text" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false"`, 'postmaster')}
${inputField(form, 'tags', 'Tags, separated by commas', html`type="text" maxlength="1100" autocomplete="off"`)}`;
}
