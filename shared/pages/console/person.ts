/** The reader, on the settings page: their role, their other organizations, and what is mailed to them. */
import type { ShownPerson } from '../../views/settings.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { formTokenField } from './layout.ts';
import { MEMBERS_PATH } from './paths.ts';

interface PersonView extends ShownPerson {
  readonly formToken: string;
}

export function personSection({ mail, role, organizations, signInNotice, formToken }: PersonView): Markup {
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
<form class="trial" method="post" action="${MEMBERS_PATH}/preferences">${formTokenField(formToken)}
<label class="choice"><input type="checkbox" name="signInNotice" value="on"${signInNotice ? html` checked` : ''}> Mail me when somebody signs in as me with a new browser</label>
<button data-busy="Saving…">Save</button></form>
<p class="actions"><a class="button" href="${MEMBERS_PATH}/ask?about=leave">Leave the organization</a></p></section>`;
}
