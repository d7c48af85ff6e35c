/** The reader, on the settings page: their role, their other organizations, and what is mailed to them. */

import { severities } from '../../alerts/notification.ts';
import type { ShownPerson } from '../../views/settings.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { asChoices } from '../select.ts';
import { formState, inputField, selectField } from './form-fields.ts';
import { formTokenField, type Visit } from './layout.ts';
import { MEMBERS_PATH, OPERATOR_PATH } from './paths.ts';

const severityChoices = asChoices(severities);

export function personSection({
  mail,
  role,
  organizations,
  signInNotice,
  operator,
  alerts,
  formToken,
  flash,
}: ShownPerson & Visit): Markup {
  const form = formState('changeMemberMail', flash);
  const preferences = formState('changePreferences', flash);
  const others = organizations.filter(({ isShown }) => !isShown);
  const here = organizations.find(({ isShown }) => isShown);
  return html`<section aria-labelledby="you"><h2 id="you">You</h2>
<p>You are signed in as <strong>${untrustedText(mail)}</strong>, and are ${role} of ${visibleStart(here?.name ?? '', 200)}.</p>
${
  others.length === 0
    ? ''
    : html`<ul class="cards">${others.map(
        ({ id, name, role: theirs }) =>
          html`<li class="card"><div class="head"><h3>${visibleStart(name, 200)}</h3><span class="tag">${theirs}</span></div>
<form method="post" action="${MEMBERS_PATH}/switch">${formTokenField(formToken)}<input type="hidden" name="organization" value="${id}"><button class="small" data-busy="Switching…">Switch to ${visibleStart(name, 60)}</button></form></li>`,
      )}</ul>`
}
${operator ? html`<p>You operate the service: <a href="${OPERATOR_PATH}">all organizations</a></p>` : ''}
<h3>Alerts to you</h3>
<p class="soft">Beside what the organization receives. One mail has all alerts of a minute.</p>
<form class="trial" method="post" action="${MEMBERS_PATH}/mail">${formTokenField(formToken)}
${inputField(form, 'address', 'Your mail address for alerts of this organization; empty for none', html`type="email" maxlength="254" autocomplete="email"`, alerts?.address)}
${selectField(form, 'threshold', 'From', severityChoices, alerts?.threshold ?? 'critical')}
${inputField(form, 'tags', 'Only about domains with one of these tags, separated by commas; empty for all', html`maxlength="1100" autocomplete="off" spellcheck="false"`, alerts?.tags.join(', '))}
<button data-busy="Saving…">Save alerts to you</button></form>
<form class="trial" method="post" action="${MEMBERS_PATH}/preferences">${formTokenField(formToken)}
<label class="choice"><input type="checkbox" ${preferences.attributes('signInNotice')} value="on"${preferences.isChosen('signInNotice', signInNotice) ? html` checked` : ''}> Mail me when somebody signs in as me with a new browser</label>
<button data-busy="Saving…">Save</button></form>
<p class="actions"><a class="button" href="${MEMBERS_PATH}/ask?about=leave">Leave the organization</a></p></section>`;
}
