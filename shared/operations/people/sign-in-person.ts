import { randomBytes } from 'node:crypto';
import {
  type IdentityProvider,
  ProviderProblem,
  type SignInAttempt,
} from '../../network/identity-provider-port.ts';
import type { Clock } from '../../network/ports.ts';
import { type Mail, MailRefused } from '../../notify/mail.ts';
import { signInMail } from '../../notify/people-mail.ts';
import { roleOf } from '../../protocol/scope.ts';
import type { Member } from '../../store/api-tokens.ts';
import type { InvitationStore } from '../../store/invitations.ts';
import { type MemberStore, personIdOf } from '../../store/members.ts';
import type { PersonStore } from '../../store/people.ts';
import type { SessionStore } from '../../store/sessions.ts';
import { changesBetween } from '../changes.ts';
import type { Operation, OutcomeOf } from '../operation.ts';
import type { Refused } from '../outcome.ts';
import { refused } from '../sessions/sign-in.ts';

/** The caller is known by the address only, until the identity provider says who it is. */
export const operation = {
  name: 'signInPerson',
  summary: 'Sign in to the console through the identity provider, and accept an invitation',
  scope: 'read',
  refusals: ['forbidden'],
  uses: [
    'sessions:write',
    'tokens:write',
    'organizations:write',
    'people:write',
    'invitations:write',
    'identity-provider',
    'dns',
    'mail:send',
  ],
} as const satisfies Operation;

export interface Returning {
  /** The query of the address to which the provider redirected the browser. */
  readonly query: string;
  readonly attempt: SignInAttempt;
  /** The text of an invitation that the person accepts. */
  readonly invitation: string | undefined;
  /** The name of the browser, as it gives it. */
  readonly userAgent: string;
  /** What tells the browser from others; undefined if it has nothing yet. */
  readonly browser: string | undefined;
  readonly clientAddress: string;
}

/** `detail`: for the operator; it can be anybody's text. */
export interface FailedSignIn {
  readonly code: ProviderProblem['code'] | 'invitation' | 'nobody';
  readonly detail: string;
}

export interface SignInPersonDependencies {
  readonly provider: Pick<IdentityProvider, 'identityIn'>;
  readonly members: Pick<MemberStore, 'join' | 'of'>;
  readonly invitations: Pick<InvitationStore, 'find' | 'remove'>;
  readonly people: Pick<PersonStore, 'get' | 'sees' | 'knowsBrowser'>;
  /** Undefined if the service sends no mail. @throws MailRefused */
  readonly sendMail: ((mail: Mail) => Promise<void>) | undefined;
  readonly hostUrl: string;
  readonly sessions: Pick<SessionStore, 'start' | 'end'>;
  /** Tells the operator why somebody could not sign in. */
  readonly report: (problem: FailedSignIn, clientAddress: string) => void;
  readonly clock: Clock;
}

export interface SignedIn {
  /** The secret that the browser keeps. */
  readonly text: string;
  readonly member: Member;
  /** Whether the person became a member. */
  readonly isNew: boolean;
  /** What the browser keeps, so that it is known the next time. */
  readonly browser: string;
}

/** A provider that does not say when the person proved who they are may have asked for nothing. */
const NEVER = new Date(0);

/** Starts a session of a member, in the organization of the invitation, or the one where the person was last. */
export async function signInPerson(
  returning: Returning,
  deps: SignInPersonDependencies,
): Promise<OutcomeOf<typeof operation, SignedIn>> {
  const { query, attempt, invitation: link, userAgent } = returning;
  const { provider, members, people, sessions, clock } = deps;
  try {
    const identity = await provider.identityIn(query, attempt);
    const now = clock.now();
    const id = personIdOf(identity);
    const joined = link === undefined ? undefined : await join(link, { id, mail: identity.mail }, deps);
    if (link !== undefined && joined === undefined)
      return failed({ code: 'invitation', detail: '' }, returning, deps);
    const member = joined?.member ?? (await present(id, { members, people }));
    if (member === undefined) return failed({ code: 'nobody', detail: '' }, returning, deps);
    // Who invited somebody does not decide where their later sign-ins lead.
    if (joined === undefined || !joined.hasOthers) await people.sees(id, member.organization);
    const { authenticatedAt = NEVER } = identity;
    const text = await sessions.start(member, userAgent, now, { authenticatedAt });
    const isNew = joined?.isNew ?? false;
    const { invitedBy } = member.member;
    // The first sign-in of all is what the person wanted, with an invitation that was mailed to them.
    const isFirst = isNew && joined?.hasOthers === false;
    const browser = await noteBrowser({ ...returning, id, member, isFirst }, deps, now);
    return {
      value: { text, member, isNew, browser },
      subjects: [
        {
          ...{ id: member.id, name: member.name },
          ...(isNew && { changes: changesBetween(null, { role: roleOf(member.scope), invitedBy }) }),
        },
      ],
    };
  } catch (error) {
    if (!(error instanceof ProviderProblem)) throw error;
    return failed(error, returning, deps);
  }
}

function failed(
  problem: FailedSignIn,
  { clientAddress }: Returning,
  { report }: SignInPersonDependencies,
): Refused<'forbidden'> {
  report(problem, clientAddress);
  return refused(problem.code);
}

interface Joined extends Pick<SignedIn, 'member' | 'isNew'> {
  /** Whether the person is a member of other organizations, too. */
  readonly hasOthers: boolean;
}

/** Makes a person a member; who is one already only uses the link to get there. Undefined if the invitation is not theirs. */
async function join(
  link: string,
  { id, mail }: { readonly id: string; readonly mail: string | undefined },
  { invitations, members, clock }: SignInPersonDependencies,
): Promise<Joined | undefined> {
  const now = clock.now();
  const invitation = await invitations.find(link, now);
  if (invitation === undefined || mail === undefined || invitation.mail !== mail) return undefined;
  const all = await members.of(id);
  const already = all.find(({ organization }) => organization === invitation.organization);
  const hasOthers = all.some((one) => one !== already);
  if (already !== undefined) {
    // Used up, as by anybody: otherwise it brings them back after they are removed.
    await invitations.remove(invitation.organization, invitation.id);
    return { member: already, isNew: false, hasOthers };
  }
  const member = await members.join(invitation, id, now);
  return member && { member, isNew: true, hasOthers };
}

/** What the person may do where they were last, or in the first of their organizations. */
async function present(
  id: string,
  { members, people }: Pick<SignInPersonDependencies, 'members' | 'people'>,
): Promise<Member | undefined> {
  const [all, { lastOrganization }] = await Promise.all([members.of(id), people.get(id)]);
  return all.find(({ organization }) => organization === lastOrganization) ?? all[0];
}

interface Noted extends Returning {
  readonly id: string;
  readonly member: Member;
  readonly isFirst: boolean;
}

/** Mails the person that they, or somebody else, signed in with a browser that is new to them. Returns its secret. */
async function noteBrowser(
  { browser = randomBytes(32).toString('base64url'), id, member, isFirst, userAgent, clientAddress }: Noted,
  { people, sendMail, hostUrl }: SignInPersonDependencies,
  now: Date,
): Promise<string> {
  const isKnown = await people.knowsBrowser(id, browser, now);
  if (isKnown || isFirst || sendMail === undefined || !(await people.get(id)).signInNotice) return browser;
  try {
    await sendMail(await signInMail(member, { userAgent, clientAddress, hostUrl, now }));
  } catch (error) {
    // A mail that cannot be sent keeps nobody from signing in.
    if (!(error instanceof MailRefused)) throw error;
  }
  return browser;
}
