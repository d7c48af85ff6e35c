/** The page that an invitation leads to. */
import { roleOf } from '../../protocol/scope.ts';
import { providerSignInPath } from '../../runtime/http/session-cookie.ts';
import type { Invitation } from '../../store/invitations.ts';
import { html, timeElement, untrustedText, visibleStart } from '../markup.ts';
import { consoleDocument } from './layout.ts';

interface InvitationView extends Pick<Invitation, 'mail' | 'scope' | 'until'> {
  /** Of the organization. */
  readonly name: string;
  /** The text of the invitation. */
  readonly link: string;
  /** The host of the identity provider. */
  readonly provider: string;
}

export function invitationPage({ name, mail, scope, until, link, provider }: InvitationView): string {
  return consoleDocument({
    title: 'Invitation',
    description: 'Accept an invitation to the console.',
    formToken: undefined,
    main: html`<section class="lone">
<h1>Invitation to ${visibleStart(name, 200)}</h1>
<p class="lead">Sign in as <strong>${untrustedText(mail)}</strong> to become a member with the role ${roleOf(scope)}.</p>
<p class="actions"><a class="button" href="${providerSignInPath(undefined, { link })}">Sign in with ${provider}</a></p>
<p class="soft">The invitation works once, until ${timeElement(until)}, and only if ${provider} has verified that this address is yours.</p>
</section>`,
  });
}
