/** The page about one sender of all domains: where it sends, and a decision for all of them. */
import { MOST_IN_FORM } from '../../api/many-domains.ts';
import { printable } from '../../protocol/printable.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import type { OrganizationSender, SenderOfDomain } from '../../views/organization-sender.ts';
import { percent } from '../charts/shares.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { fitting, more } from '../room.ts';
import { nothingYet, senderPath } from './domain/frame.ts';
import { decisionField, senderKinds, statusTag } from './domain/sender-table.ts';
import { formState } from './form-fields.ts';
import {
  CONSOLE_ROOM,
  consoleDocument,
  formTokenField,
  readOnlyNote,
  type Visit,
  type Visitor,
} from './layout.ts';
import { manyOutcomes } from './many-domains.ts';
import { organizationSenderPath, SENDERS_PATH } from './sender-paths.ts';

interface View extends Visitor {
  readonly sender: OrganizationSender | undefined;
}

const MAX_TITLE = 80;

export function organizationSenderPage(view: View): string {
  const { sender, canWrite, formToken, flash } = view;
  const name = sender === undefined ? 'Sender' : `Sender ${printable(sender.name, MAX_TITLE)}`;
  return consoleDocument({
    title: name,
    description: 'One sender of all domains',
    ...{ formToken, flash, current: SENDERS_PATH },
    main: html`<article class="of-domain wide about-one"><header><p class="eyebrow"><a href="${SENDERS_PATH}">Senders</a></p>
<h1>${sender === undefined ? 'Sender' : visibleStart(sender.name, 120)}</h1>${readOnlyNote(canWrite)}</header>
${sender === undefined ? nothingYet('No mail of this sender in the last 30 days', html`It may have stopped sending. <a href="${SENDERS_PATH}">All senders</a>`) : about(sender, view)}</article>`,
  });
}

function about(sender: OrganizationSender, visitor: Visitor): Markup {
  const { kind, messages, passed, domains } = sender;
  return html`<section aria-labelledby="figures"><h2 id="figures" class="hush">Figures of 30 days</h2>
<dl class="inline"><div><dt>Kind</dt><dd>${senderKinds[kind]}</dd></div><div><dt>Sends as</dt><dd>${pluralize(domains.length, 'domain')}</dd></div><div><dt>Messages</dt><dd>${formatNumber(messages)}</dd></div><div><dt>Mail that passes</dt><dd>${percent(passed, messages)}</dd></div></dl></section>
${manyOutcomes(visitor)}
${visitor.canWrite ? decisionForm(sender, visitor) : ''}
<section aria-labelledby="domains"><h2 id="domains">Domains, most messages that fail first</h2>${domainTable(sender)}</section>`;
}

function decisionForm({ id, domains }: OrganizationSender, { formToken, flash }: Visit): Markup {
  const form = formState('decideForDomains', flash);
  const count =
    domains.length > MOST_IN_FORM
      ? `the first ${formatNumber(MOST_IN_FORM)} of ${pluralize(domains.length, 'domain')}`
      : domains.length === 1
        ? 'this domain'
        : `all ${pluralize(domains.length, 'domain')}`;
  return html`<section aria-labelledby="decision"><h2 id="decision">Decide for ${count}</h2>
<form class="trial" method="post" action="${organizationSenderPath(id)}">${formTokenField(formToken)}
${decisionField(form, id, false)}
<label class="choice"><input type="checkbox" name="replaces" value="on"${form.isChosen('replaces', false) ? html` checked` : ''}> Also where something else was decided</label>
<button data-busy="Deciding…" aria-describedby="decision-takes">Decide</button>
<p class="soft" id="decision-takes">It changes no record. Each 100 domains take some seconds. This page stays until they are done.</p></form></section>`;
}

function domainTable({ id, domains, decided }: OrganizationSender): Markup {
  const { shown, omitted } = fitting(domains, CONSOLE_ROOM, (one) => row(id, one, decided));
  return html`<div class="scroll domains plain-rows" tabindex="0" role="region" aria-label="Domains"><table><caption class="hush">Domains that the sender sends as</caption><thead><tr><th scope="col">Domain</th><th scope="col" class="num">Messages</th><th scope="col" class="num">Fail</th><th scope="col" class="num">Pass</th><th scope="col">Decision</th></tr></thead><tbody>${shown}</tbody></table></div>${omitted > 0 ? html`<p class="soft">${more(omitted)}</p>` : ''}`;
}

function row(
  senderId: string,
  { domainId, domain, messages, passed }: SenderOfDomain,
  decided: OrganizationSender['decided'],
): Markup {
  const status = decided.get(domainId);
  return html`<tr><th scope="row"><a href="${senderPath(domainId, senderId)}">${untrustedText(domain)}</a></th><td class="num" data-unit="messages">${formatNumber(messages)}</td><td class="num" data-unit="fail">${formatNumber(messages - passed)}</td><td class="num" data-unit="pass">${percent(passed, messages)}</td><td>${status === undefined ? html`<span class="soft">on its page</span>` : statusTag(status)}</td></tr>`;
}
