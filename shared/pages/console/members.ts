/** The members of an organization, and its open invitations. */
import type * as z from 'zod/mini';
import type { invitation, member } from '../../api/members.ts';
import { type Role, roles } from '../../protocol/scope.ts';
import { day } from '../check-results/text.ts';
import { eventTime, html, type Markup, timeElement, visibleStart } from '../markup.ts';
import { fitting, more } from '../room.ts';
import { type Choice, options } from '../select.ts';
import { formState, inputField, selectField } from './form-fields.ts';
import { consoleDocument, formTokenField, type Visit } from './layout.ts';
import { MEMBERS_PATH } from './paths.ts';
import { SETTINGS_PATH } from './settings.ts';

interface MembersView extends Visit {
  readonly members: readonly z.output<typeof member>[];
  readonly invitations: readonly z.output<typeof invitation>[];
  /** The ID of the reader, if they are a member. */
  readonly own: string;
  /** Whether people can sign in. */
  readonly hasProvider: boolean;
}

/** In bytes, for members and for invitations. */
const ROOM = 28_000;

const roleTexts: Readonly<Record<Role, string>> = {
  viewer: 'viewer: see everything but members, tokens and the audit log',
  editor: 'editor: also change domains and notifications',
  admin: 'admin: also manage members and tokens',
};
const roleChoices = roles.map((role): Choice => [role, roleTexts[role]]);

export function membersPage(view: MembersView): string {
  const { formToken, flash, members, invitations, own, hasProvider } = view;
  const names = new Map(members.map(({ id, mail }) => [id, mail]));
  const people = fitting(members, ROOM, (one) => memberCard(one, names, { formToken, own }));
  const open = fitting(invitations, ROOM, (one) => invitationCard(one, names, formToken));
  return consoleDocument({
    title: 'Members',
    description: 'The people of your organization, and what they may do',
    ...{ formToken, flash, current: SETTINGS_PATH },
    main: html`<article class="of-domain"><header><h1>Members</h1>
<p class="soft">People who sign in to the console. Programs use <a href="${SETTINGS_PATH}#tokens">tokens</a>.</p></header>
<section aria-labelledby="members"><h2 id="members">Members</h2>
${members.length === 0 ? html`<p>Nobody is a member yet.</p>` : html`<ul class="cards">${people.shown}</ul>${people.omitted > 0 ? html`<p>${more(people.omitted)}</p>` : ''}`}</section>
<section aria-labelledby="invitations"><h2 id="invitations">Invitations</h2>
${invitations.length === 0 ? html`<p>There is no open invitation.</p>` : html`<ul class="cards">${open.shown}</ul>${open.omitted > 0 ? html`<p>${more(open.omitted)}</p>` : ''}`}
${hasProvider ? inviteForm(view) : html`<p>People cannot sign in: the operator of the service has set no identity provider.</p>`}</section></article>`,
  });
}

function memberCard(
  { id, mail, role, joinedAt, invitedBy, lastUsedOn }: z.output<typeof member>,
  names: ReadonlyMap<string, string>,
  { formToken, own }: Pick<MembersView, 'formToken' | 'own'>,
): Markup {
  const name = visibleStart(mail, 60);
  return html`<li class="card"><div class="head"><h3>${visibleStart(mail, 254)}</h3>${id === own ? html`<span class="tag open">you</span>` : ''}<span class="tag">${role}</span></div>
<p class="soft">Member since ${eventTime(joinedAt)}${inviter(invitedBy, names)}. ${lastUsedOn === null ? 'Did not use the console yet' : html`Last used the console on ${day(lastUsedOn)}`}.</p>
<form method="post" action="${MEMBERS_PATH}/role" class="actions">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><label>Role <select name="role">${options(
    roles.map((one): Choice => [one, one]),
    role,
  )}</select></label><button class="small" data-busy="Changing…">Change the role of ${name}</button></form>
<form method="get" action="${MEMBERS_PATH}/ask" class="actions"><input type="hidden" name="about" value="member"><input type="hidden" name="id" value="${id}"><button class="small" data-busy="Loading…">Remove ${name}</button></form></li>`;
}

const inviter = (id: string | null, names: ReadonlyMap<string, string>): Markup | string =>
  id === null ? '' : html`, invited by ${visibleStart(names.get(id) ?? `the token ${id}`, 60)}`;

function invitationCard(
  { id, mail, role, createdAt, expiresAt, invitedBy }: z.output<typeof invitation>,
  names: ReadonlyMap<string, string>,
  formToken: string,
): Markup {
  return html`<li class="card"><div class="head"><h3>${visibleStart(mail, 254)}</h3><span class="tag">${role}</span></div>
<p class="soft">Invited ${eventTime(createdAt)}${inviter(invitedBy, names)}. Expires ${timeElement(expiresAt)}.</p>
<form method="post" action="${MEMBERS_PATH}/withdraw" class="actions">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><button class="small" data-busy="Withdrawing…">Withdraw the invitation of ${visibleStart(mail, 60)}</button></form></li>`;
}

function inviteForm({ formToken, flash }: MembersView): Markup {
  const form = formState('inviteInConsole', flash);
  return html`<h3>Invite a person</h3>
<form class="trial" method="post" action="${MEMBERS_PATH}/invite">${formTokenField(formToken)}
${inputField(form, 'mail', 'Mail address', html`type="email" maxlength="254" required autocomplete="off"`)}
${selectField(form, 'role', 'Role', roleChoices, 'viewer')}
<button data-busy="Inviting…">Invite</button></form>
<p class="soft">The invitation is sent by mail, or, if this service sends no mail, its link is shown here for you to send. The link works once, for seven days, for the person who signs in with this address.</p>`;
}
