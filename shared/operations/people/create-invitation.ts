import { createInvitationBody } from '../../api/members.ts';
import type { Clock } from '../../network/ports.ts';
import { type Mail, MailRefused } from '../../notify/mail.ts';
import { invitationMail } from '../../notify/people-mail.ts';
import { parseRecipient } from '../../notify/recipient.ts';
import { scopeOf } from '../../protocol/scope.ts';
import { isMember } from '../../store/api-tokens.ts';
import type { Invitation, InvitationStore } from '../../store/invitations.ts';
import type { OrganizationStore } from '../../store/organizations.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import { changesBetween } from '../changes.ts';
import { countOnRequest } from '../notifications/count-on-request.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
import { refuseLimited } from './lasting-rights.ts';

export const operation = {
  name: 'createInvitation',
  summary: 'Invite a person by mail address',
  description:
    'The link works once, for seven days, and only for a person of whom the identity provider says that the address is theirs. It ends earlier if the token or member that made it is removed or is no longer an admin. Inviting an address again ends its earlier invitation. Requires that the operator has set an identity provider.',
  scope: 'admin',
  input: createInvitationBody,
  refusals: ['invalid_request', 'forbidden', 'rate_limited'],
  uses: ['organizations:read', 'invitations:write', 'mail:send'],
} as const satisfies Operation;

/** How many people and open invitations an organization can have, so that a list of them is one read. */
const MAX_PEOPLE = 500;

/** The page that accepts an invitation. */
export const invitationPath = (text: string): string =>
  `/console/invitation?${new URLSearchParams({ link: text })}`;

export interface InvitationDependencies {
  readonly organizations: Pick<OrganizationStore, 'get' | 'listTokens'>;
  readonly invitations: Pick<InvitationStore, 'create' | 'list' | 'remove'>;
  readonly rates: Pick<RateStore, 'consume'>;
  /** Undefined if the service sends no mail. @throws MailRefused */
  readonly sendMail: ((mail: Mail) => Promise<void>) | undefined;
  /** Domains whose mail the service receives. */
  readonly ownDomains: readonly string[];
  /** Whether people can sign in. */
  readonly hasProvider: boolean;
  readonly hostUrl: string;
  readonly clock: Clock;
}

export interface CreatedInvitation {
  readonly invitation: Invitation;
  readonly link: string;
  /** Whether the link was sent to the address. */
  readonly isMailed: boolean;
}

export async function createInvitation(
  { organization, token }: CallerOf<typeof operation>,
  { mail: given, role }: InputOf<typeof operation>,
  deps: InvitationDependencies,
): Promise<OutcomeOf<typeof operation, CreatedInvitation>> {
  const { organizations, invitations, clock, hostUrl } = deps;
  if (!deps.hasProvider)
    return new Refused('forbidden', 'People cannot sign in: the operator has set no identity provider.');
  const limited = refuseLimited(token);
  if (limited !== undefined) return limited;
  const recipient = parseRecipient(given, deps.ownDomains);
  if (!recipient.ok) return invalid({ path: 'mail', message: recipient.problem });
  const mail = recipient.address.toLowerCase();
  const now = clock.now();
  const members = (await organizations.listTokens(organization)).filter(
    (one) => isMember(one) && one.revokedAt === null,
  );
  if (members.some(({ name }) => name === mail))
    return invalid({ path: 'mail', message: 'is that of a member' });
  const open = await invitations.list(organization, now);
  if (members.length + open.length >= MAX_PEOPLE)
    return new Refused('forbidden', `The organization has ${MAX_PEOPLE} members and open invitations.`);
  const tooMany = await countOnRequest(deps.rates, organization, now);
  if (tooMany !== undefined) return tooMany;
  for (const { id } of open.filter((one) => one.mail === mail)) await invitations.remove(organization, id);
  const by = token && { id: token.id, hash: token.hash, name: token.name };
  const { invitation, text } = await invitations.create(
    { organization, mail, scope: scopeOf(role), by },
    now,
  );
  const link = `${hostUrl}${invitationPath(text)}`;
  const { name = organization } = (await organizations.get(organization)) ?? {};
  const isMailed = await sent(await invitationMail(invitation, { organization: name, link }), deps);
  const value = { invitation, link, isMailed };
  const changes = changesBetween(null, { role });
  return { value, subjects: [{ ...invitationSubjectOf(invitation), changes }] };
}

/** An invitation in the audit log. */
export const invitationSubjectOf = ({ id, mail }: Invitation) => ({ id, name: mail });

/** Whether the mail was sent. If not, the link still works. */
async function sent(mail: Mail, { sendMail }: InvitationDependencies): Promise<boolean> {
  try {
    await sendMail?.(mail);
    return sendMail !== undefined;
  } catch (error) {
    if (error instanceof MailRefused) return false;
    throw error;
  }
}
