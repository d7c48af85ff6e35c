/** The page to sign in to the console: with an API token, with a one-time link, or at the identity provider. */
import { providerSignInPath } from '../../runtime/http/session-cookie.ts';
import { html, type Markup } from '../markup.ts';
import { consoleDocument } from './layout.ts';

interface SignInView {
  /** The secret of a one-time link. */
  readonly link?: string | undefined;
  /** The page to show after signing in; undefined for the first one. */
  readonly to?: string | undefined;
  /** Whether browsers keep the session at the address of the service. */
  readonly keepsSession: boolean;
  /** Why the last attempt failed, as a sentence. */
  readonly problem?: string | undefined;
  /** The host of the identity provider; undefined if there is none. */
  readonly provider?: string | undefined;
  /** Whether the provider is to ask for a new proof. */
  readonly isProof?: boolean;
  /** Whether somebody signed out who may still be signed in there. */
  readonly hasLeft?: boolean;
}

export function signInPage(view: SignInView): string {
  return consoleDocument({
    title: view.problem === undefined ? 'Sign in' : 'Error: Sign in',
    description: 'Sign in to see the email security of your domains.',
    formToken: undefined,
    main: html`<section class="lone">
<h1>Sign in</h1>
${view.keepsSession ? '' : html`<p class="problem">The console needs HTTPS: browsers do not keep a session over plain HTTP, except on the machine of the service itself. Ask your operator for an address with https.</p>`}
${view.link === undefined ? html`${view.provider === undefined ? '' : providerPart(view, view.provider)}${tokenForm(view)}` : linkForm(view.link)}
</section>`,
  });
}

const SIGN_IN_PATH = '/console/sign-in';

/** A link, because the policy of pages lets no form lead to another site. */
function providerPart(
  { to, problem, isProof = false, hasLeft = false }: SignInView,
  provider: string,
): Markup {
  return html`${hasLeft ? html`<p>You are signed out here. At ${provider}, you may still be signed in: <a href="/console/sign-in/provider-sign-out">sign out there</a>.</p>` : ''}
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<p class="actions"><a class="button" href="${providerSignInPath(to, { fresh: isProof })}">Sign in with ${provider}</a></p>
<h2>With an API token</h2>`;
}

function tokenForm({ to, problem: said, provider }: SignInView): Markup {
  const problem = provider === undefined ? said : undefined;
  return html`<p class="lead">Sign in with an API token of your organization. A token with the scope <code>read</code> shows everything and changes nothing.</p>
<form class="check" method="post" action="${SIGN_IN_PATH}">
${to === undefined ? '' : html`<input type="hidden" name="to" value="${to}">`}
<label for="token">API token</label>
<div class="row"><input id="token" name="token" type="password" required maxlength="300" autocomplete="current-password" autofocus${problem === undefined ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<button data-busy="Signing in…">Sign in</button></div>
${problem === undefined ? '' : html`<p id="problem" class="problem" role="alert">${problem}</p>`}
</form>
<p class="soft">A session ends after 12 hours, after two hours without a request, or when its API token is revoked or expires. If yours ended while you sent a form, nothing was changed: sign in, and repeat what you did.</p>
${to === undefined ? '' : html`<p class="soft">You are not signed in, or your session has ended. If you followed a link from another site and are signed in already, <a href="${to}">continue to the page</a>.</p>`}`;
}

/** A button, because the cookie of a session that a redirect from another site set would not be sent. */
function linkForm(link: string): Markup {
  return html`<p class="lead">This link signs you in once.</p>
<form method="post" action="${SIGN_IN_PATH}"><input type="hidden" name="link" value="${link}"><button data-busy="Signing in…">Sign in</button></form>
<p class="soft">Or <a href="${SIGN_IN_PATH}">sign in with an API token</a>.</p>`;
}
