/** All organizations, for operators of the service: numbers, and never what they have. */
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import type { OperatedOrganization } from '../../views/operated.ts';
import { day } from '../check-results/text.ts';
import { eventTime, html, type Markup, visibleStart } from '../markup.ts';
import { formState, inputField } from './form-fields.ts';
import { consoleDocument, formTokenField, type Visit } from './layout.ts';
import { OPERATOR_PATH } from './paths.ts';

interface OperatorView extends Visit {
  readonly organizations: readonly OperatedOrganization[];
  readonly page: number;
  readonly hasMore: boolean;
  /** How many domains an organization can have by default; 0: no limit. */
  readonly defaultLimit: number;
}

export function operatorPage(view: OperatorView): string {
  const { formToken, flash, organizations, page, hasMore } = view;
  const form = formState('operateOrganizations', flash);
  const to = (n: number) => `${OPERATOR_PATH}?page=${n}`;
  return consoleDocument({
    title: 'Organizations',
    description: 'All organizations of the service, for its operators',
    ...{ formToken, flash, current: OPERATOR_PATH },
    main: html`<article class="of-domain"><header><h1>Organizations</h1>
<p class="soft">You operate the service. Here are numbers only: to see what an organization has, you need an invitation from it.</p></header>
<section aria-labelledby="all"><h2 id="all">All organizations</h2>
<ul class="cards">${organizations.map((one) => card(one, view))}</ul>
<p>${page > 1 ? html`<a href="${to(page - 1)}">Previous page</a> ` : ''}${hasMore ? html`<a href="${to(page + 1)}">Next page</a>` : ''}</p></section>
<section aria-labelledby="create"><h2 id="create">Create an organization</h2>
<form class="trial" method="post" action="${OPERATOR_PATH}">${formTokenField(formToken)}<input type="hidden" name="do" value="create">
${inputField(form, 'name', 'Name', html`maxlength="200" required autocomplete="off"`)}
<button data-busy="Creating…">Create</button></form></section></article>`,
  });
}

function card(
  { id, name, createdAt, pausedAt, domains, mail, open, mailboxes, members, tokens }: OperatedOrganization,
  { formToken, defaultLimit }: OperatorView,
): Markup {
  const limit = domains.limit ?? defaultLimit;
  const short = visibleStart(name, 60);
  return html`<li class="card"><div class="head"><h3>${visibleStart(name, 200)}</h3>${pausedAt === null ? '' : html`<span class="tag bad">paused since ${eventTime(pausedAt)}</span>`}</div>
<p class="soft"><code>${id}</code>, created ${eventTime(createdAt)}</p>
<dl class="fields"><div><dt>Domains</dt><dd>${formatNumber(domains.count)} of ${limit === 0 ? 'any number' : formatNumber(limit)}${domains.limit === null ? ' (default)' : ''}</dd></div><div><dt>Mail of 30 days</dt><dd>${pluralize(mail.messages, 'message')} in reports${mail.lastReported === null ? '' : html`; the last on ${day(mail.lastReported)}`}</dd></div><div><dt>Open</dt><dd>${open.critical} critical, ${open.warning} warning, ${open.info} info</dd></div><div><dt>Also costs</dt><dd>${pluralize(mailboxes, 'mailbox', 'mailboxes')}, ${pluralize(members, 'member')}, ${pluralize(tokens, 'token')}</dd></div></dl>
<form method="post" action="${OPERATOR_PATH}" class="actions">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="do" value="limit"><label>Domains <input name="domains" value="${domains.limit === null ? '' : String(domains.limit)}" inputmode="numeric" maxlength="9" size="9" autocomplete="off"></label><button class="small" data-busy="Saving…">Limit ${short}</button></form>
<form method="post" action="${OPERATOR_PATH}" class="actions">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="do" value="${pausedAt === null ? 'pause' : 'resume'}"><button class="small" data-busy="Saving…">${pausedAt === null ? 'Pause' : 'Resume'} ${short}</button></form></li>`;
}
