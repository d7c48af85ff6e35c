/** The sessions of the console, on the settings page. */
import { pluralize } from '../../protocol/quantity.ts';
import type { ShownSessions } from '../../views/settings.ts';
import { html, type Markup, timeElement, visibleStart } from '../markup.ts';
import { formTokenField, type Visit } from './layout.ts';

/** The rows of the table. The button below it ends the other sessions, too. */
const SHOWN = 20;

/** The beginning of a token's ID (UUIDv7) that has the millisecond of its creation. */
const ID_START = 13;

export function sessionSection({ formToken, isWhole, sessions }: ShownSessions & Visit): Markup {
  const rows = sessions
    .slice(0, SHOWN)
    .map(
      ({ id, tokenId, tokenName, startedAt, lastUsedAt, client, isOwn }) =>
        html`<tr><td>${timeElement(lastUsedAt)}</td><td>${timeElement(startedAt)}</td><td>${visibleStart(tokenName, 60)} <code>${tokenId.slice(0, ID_START)}</code></td><td>${client === '' ? 'unknown' : visibleStart(client, 170)}${isOwn ? html` <span class="tag">this session</span>` : ''}</td><td><button class="small" name="id" value="${id}" data-busy="Ending…">End</button></td></tr>`,
    );
  const left = sessions.length - SHOWN;
  return html`<section aria-labelledby="sessions"><h2 id="sessions">Sessions</h2>
<p class="soft">${isWhole ? 'Who is signed in to the console, with any token of the organization' : 'Who is signed in to the console with your token'}. A session ends after 12 hours, or after two hours without a request.</p>
<form method="post" action="/console/settings/sessions">${formTokenField(formToken)}
<div class="scroll words" tabindex="0" role="region" aria-label="Sessions, the last used first"><table><caption class="hush">Sessions, the last used first</caption><thead><tr><th scope="col">Last used</th><th scope="col">Started</th><th scope="col">Token</th><th scope="col">Browser</th><th scope="col"><span class="hush">End</span></th></tr></thead><tbody>${rows}</tbody></table></div>
${left > 0 ? html`<p class="note">and ${pluralize(left, 'more session')}</p>` : ''}
</form>
<p class="actions"><a class="button" href="/console/settings/ask?about=sessions">Sign out everywhere</a></p>
<p class="soft">Sign out everywhere ends ${isWhole ? 'all sessions of the organization and its sign-in links' : 'all sessions and sign-in links of your token'}, including this session.</p></section>`;
}
