/** The page of one test: the test address while it waits for the message, then the result. */

import { pluralize } from '../../protocol/quantity.ts';
import type { CompletedSession, PendingSession, TestSession } from '../../store/test-sessions.ts';
import { document } from '../document.ts';
import { html, type Markup, timeElement } from '../markup.ts';
import { mailTestStyle } from '../style.ts';
import { breakdown } from './breakdown.ts';
import { checks } from './checks.ts';
import { adviceList, header, senderNotes, way } from './message.ts';
import { headline, receiverList } from './receivers.ts';
import { startForm } from './start.ts';
import { points, readable } from './text.ts';
import { dial, words } from './verdict.ts';

/** How often a browser without JavaScript reloads the page, in seconds. */
const REFRESH_SECONDS = 10;

interface TestPageAddresses {
  /** The test address. */
  readonly email: string;
  /** The URL of the page. */
  readonly url: string;
}

export function testPage(session: TestSession, { email, url }: TestPageAddresses): string {
  return session.status === 'pending' ? waitingPage(session, email, url) : resultPage(session, url);
}

function waitingPage({ expiresAt }: PendingSession, email: string, url: string): string {
  return document({
    title: 'Waiting for your message – mail test',
    description: 'Send a message to the address on this page to see how receiving servers rate it.',
    url,
    site: 'Mail test',
    styles: mailTestStyle,
    head: html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>`,
    main: html`<section class="lone" data-waiting>
<h1>Send a message to this address</h1>
<p id="address" class="record"><code>${email}</code></p>
<div class="actions"><button type="button" data-copy="address" hidden>Copy address</button><a class="button" href="mailto:${email}?subject=Test">Write message</a></div>
<p class="lead">Send it the way you normally send mail. This page shows the result as soon as the message arrives.</p>
<p class="soft"><span class="pulse" aria-hidden="true"></span>Waiting for your message. The address accepts mail until ${timeElement(expiresAt)}.</p>
<p id="lost" class="problem" role="alert" hidden>The service does not answer, so this page cannot show the result. It keeps trying: leave it open, or load it again later.</p>
</section>`,
  });
}

function resultPage({ test, receivedAt, expiresAt, otherMessages }: CompletedSession, url: string): string {
  const { results, spamScore, verdict, scoreBreakdown } = test;
  const { tone, sign, title, sentence } = headline(results.receivers);
  return document({
    title: `${title}, score ${points(spamScore)} – mail test`,
    description: sentence,
    url,
    site: 'Mail test',
    styles: mailTestStyle,
    main: html`<article>
<header class="verdict ${tone} with-dial">
<div>
<p class="eyebrow">Test message from</p>
<h1>${readable(results.message.from ?? 'unknown sender', 120)}</h1>
<p class="word"><span class="sign" aria-hidden="true">${sign}</span>${title}</p>
<p class="lead">${sentence}</p>
<p class="soft">${subject(results.message.subject)}Received ${timeElement(receivedAt)}. Available until ${timeElement(expiresAt)}.</p>
${otherMessages > 0 ? html`<p class="soft">${pluralize(otherMessages, 'later message')} ignored: each address tests only the first message.</p>` : ''}
<div class="actions">${startForm('Test another message')}<button type="button" data-copy="" hidden>Copy link</button></div>
</div>
<div>${dial(test)}<p class="score">${points(spamScore)}</p><p class="soft">Spam score: ${words[verdict].title.toLowerCase()}</p></div>
</header>
${receiverList(results.receivers)}
${breakdown(scoreBreakdown, spamScore)}
${checks(results)}
${adviceList(results.advice)}
${senderNotes(results.notes)}
${way(results)}
${header(results)}
</article>`,
  });
}

function subject(text: string | null): Markup {
  return text === null ? html`` : html`“${readable(text, 120)}”. `;
}
