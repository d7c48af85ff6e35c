/** The pages that ask before something that cannot be undone. */
import type { Domain } from '../../store/domains/domains.ts';
import { day } from '../check-results/text.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { domainPath } from './domain/frame.ts';
import { consoleDocument, formTokenField, type Visit } from './layout.ts';
import { MEMBERS_PATH } from './paths.ts';
import { SETTINGS_PATH } from './settings.ts';

interface Question {
  readonly title: string;
  /** What happens then. */
  readonly consequences: Markup;
  /** Where the form is sent, and its fields. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string | undefined>>;
  /** What the reader can choose. */
  readonly more?: Markup;
  readonly button: string;
  readonly busy: string;
  /** Where a no leads. */
  readonly back: string;
  readonly current: string;
}

export function askPage({ formToken, flash }: Visit, asked: Question): string {
  const { title, consequences, action, fields, more = '', button, busy, back, current } = asked;
  return consoleDocument({
    ...{ title, description: 'This cannot be undone.', formToken, flash, current },
    main: html`<section class="lone">
<h1>${title}</h1>
${consequences}
<p><strong>This cannot be undone.</strong></p>
<form class="actions" method="post" action="${action}">${formTokenField(formToken)}${Object.entries(fields).map(([name, value]) => (value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`))}
${more}<button data-busy="${busy}">${button}</button> <a class="button" href="${back}">Keep</a></form>
</section>`,
  });
}

interface AskedToken {
  readonly id: string;
  readonly name: string;
  readonly lastUsedOn: string | null;
}

type AskInSettings = Visit &
  (
    | { readonly about: 'sessions'; readonly isWhole: boolean }
    | {
        readonly about: 'token';
        readonly token: AskedToken;
        /** Whether tokens that it created are revoked, too. */
        readonly withCreated: boolean;
        /** Whether the session of the reader is one of this token. */
        readonly isOwn: boolean;
      }
  );

export function askInSettingsPage(view: AskInSettings): string {
  const settings = { current: SETTINGS_PATH };
  if (view.about === 'sessions')
    return askPage(view, {
      ...settings,
      title: 'Sign out everywhere?',
      consequences: html`<p class="lead">This ends ${view.isWhole ? 'all sessions of the organization and its sign-in links' : 'all sessions and sign-in links of your token'}, including this session. Tokens stay valid.</p>`,
      ...{ action: `${SETTINGS_PATH}/sessions`, fields: { id: 'all' } },
      ...{ button: 'Sign out everywhere', busy: 'Signing out…', back: `${SETTINGS_PATH}#sessions` },
    });
  const { token, withCreated, isOwn } = view;
  return askPage(view, {
    ...settings,
    title: `Revoke the token?`,
    consequences: html`<p class="lead">Programs that use the token <strong>${visibleStart(token.name, 200)}</strong>${withCreated ? ', or a token that it created,' : ''} are refused from then on, and its sessions of the console end.${withCreated ? ' Members that they invited are removed, except you.' : ''} ${token.lastUsedOn === null ? 'It was not used yet.' : html`It was last used on ${day(token.lastUsedOn)}.`}</p>
${isOwn ? html`<p class="problem">You signed in with this token: you will be signed out.</p>` : ''}`,
    action: `${SETTINGS_PATH}/tokens/revoke`,
    fields: { id: token.id, created: withCreated ? 'on' : undefined },
    ...{ button: 'Revoke', busy: 'Revoking…', back: `${SETTINGS_PATH}#tokens` },
  });
}

type AskAboutMember =
  | { readonly about: 'leave'; readonly mail: string }
  | {
      readonly about: 'member';
      readonly id: string;
      readonly mail: string;
      /** Whether it is the reader. */
      readonly isOwn: boolean;
    };

export function askAboutMemberPage(visit: Visit, asked: AskAboutMember): string {
  const name = html`<strong>${visibleStart(asked.mail, 254)}</strong>`;
  if (asked.about === 'leave')
    return askPage(visit, {
      title: 'Leave the organization?',
      consequences: html`<p class="lead">${name} is no longer a member then: you see nothing of the organization any more, and your sessions end. Tokens that you created stay valid. To come back, you need an invitation.</p>`,
      ...{ action: `${MEMBERS_PATH}/leave`, fields: {}, current: SETTINGS_PATH },
      ...{ button: 'Leave', busy: 'Leaving…', back: SETTINGS_PATH },
    });
  const { id, isOwn } = asked;
  return askPage(visit, {
    title: 'Remove the member?',
    consequences: html`<p class="lead">${name} sees nothing of the organization any more, and the sessions of the console end at once. To come back, the person needs an invitation.</p>
${isOwn ? html`<p class="problem">This is you: you will be signed out.</p>` : ''}`,
    ...{ action: `${MEMBERS_PATH}/remove`, fields: { id }, current: SETTINGS_PATH },
    more: html`<label class="choice"><input type="checkbox" name="created" value="on"> and revoke the tokens that the person created, and remove the members that they invited</label>`,
    ...{ button: 'Remove', busy: 'Removing…', back: MEMBERS_PATH },
  });
}

type AskedDomain = Pick<Domain, 'id' | 'domain'>;

export function askAboutDomainPage(
  visit: Visit,
  { id, domain }: AskedDomain,
  about: 'delete' | 'badge',
): string {
  const name = html`<strong>${untrustedText(domain)}</strong>`;
  const common = { current: '/console/domains', back: domainPath(id, 'settings') };
  if (about === 'badge')
    return askPage(visit, {
      ...common,
      title: `Turn off the badge of ${domain}?`,
      consequences: html`<p class="lead">Pages that embed the badge of ${name} show a broken image from then on. If you turn it on again, it has another address.</p>`,
      ...{ action: domainPath(id, 'settings'), fields: { badge: 'off' } },
      ...{ button: 'Turn the badge off', busy: 'Saving…' },
    });
  return askPage(visit, {
    ...common,
    title: `Delete ${domain}?`,
    consequences: html`<p class="lead">${name} is removed at once, with its checks, history, decisions about senders, reports, and alerts.</p>
<p>If its DMARC or TLS-RPT record still names its report mailbox, reports that arrive there are lost. Change the records first. Nothing else of the domain changes: its mail and its DNS records stay as they are.</p>`,
    ...{ action: `${domainPath(id)}/delete`, fields: {} },
    ...{ button: 'Delete the domain', busy: 'Deleting…' },
  });
}
