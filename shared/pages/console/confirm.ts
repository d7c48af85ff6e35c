/** The page that asks for a proof before a form of an older session does something. */
import type { Flash } from '../../store/flashes.ts';
import { html } from '../markup.ts';
import { consoleDocument, formTokenField } from './layout.ts';
import { SETTINGS_PATH } from './settings.ts';

export const CONFIRM_PATH = '/console/confirm';

interface ConfirmView {
  readonly formToken: string;
  /** Where the form was sent, what was entered, and why the last proof was refused. */
  readonly flash: Flash;
}

export function confirmPage({ formToken, flash }: ConfirmView): string {
  const { action, typed, says } = flash;
  return consoleDocument({
    title: 'Confirm that it is you',
    description: 'Enter your API token to go on.',
    ...{ formToken, current: SETTINGS_PATH },
    main: html`<section class="lone">
<h1>Confirm that it is you</h1>
<p class="lead">You signed in a while ago. Tokens and notifications give access to your data, so enter your API token, or a new sign-in link from your operator. What you entered is not lost.</p>
<form class="check" method="post" action="${action}">${formTokenField(formToken)}
${Object.entries(typed).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="proof">API token or sign-in link</label>
<div class="row"><input id="proof" name="proof" type="password" required maxlength="600" autocomplete="current-password" autofocus${says === '' ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<button data-busy="Confirming…">Confirm</button></div>
${says === '' ? '' : html`<p id="problem" class="problem" role="alert">${says}</p>`}
</form>
<p class="soft">Nothing was changed yet. <a href="${SETTINGS_PATH}">Back to the settings</a></p>
</section>`,
  });
}
