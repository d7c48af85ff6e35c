/** The page that asks for a proof before a form of an older session does something. */
import { html } from '../markup.ts';
import { consoleDocument, formTokenField } from './layout.ts';
import { SETTINGS_PATH } from './settings.ts';

interface ConfirmView {
  readonly formToken: string;
  /** Where the form was sent. */
  readonly action: string;
  /** What was entered, by the name of the field; sent again with the proof. */
  readonly fields: Readonly<Record<string, string | undefined>>;
  /** Why the last proof was refused, as a sentence. */
  readonly problem: string | undefined;
}

export function confirmPage({ formToken, action, fields, problem }: ConfirmView): string {
  return consoleDocument({
    title: 'Confirm that it is you',
    description: 'Enter your API token to go on.',
    formToken,
    main: html`<section class="lone">
<h1>Confirm that it is you</h1>
<p class="lead">You signed in a while ago. Tokens and notifications give access to your data, so enter your API token, or a new sign-in link from your operator. What you entered is not lost.</p>
<form class="check" method="post" action="${action}">${formTokenField(formToken)}
${Object.entries(fields).map(([name, value]) => (value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`))}
<label for="proof">API token or sign-in link</label>
<div class="row"><input id="proof" name="proof" type="password" required maxlength="600" autocomplete="current-password" autofocus${problem === undefined ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<button data-busy="Confirming…">Confirm</button></div>
${problem === undefined ? '' : html`<p id="problem" class="problem" role="alert">${problem}</p>`}
</form>
<p class="soft">Nothing was changed yet. <a href="${SETTINGS_PATH}">Back to the settings</a></p>
</section>`,
  });
}
